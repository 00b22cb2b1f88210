// The library out of the page: base64, gzip, WebAssembly.
import packed from 'virtual:soa-wasm';
import { Library } from './library.js';

export function bytesOf(base64) {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

export async function startLibrary() {
  const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream('gzip'));
  return Library.start(await WebAssembly.compile(await new Response(stream).arrayBuffer()));
}
