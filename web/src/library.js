// The library in WebAssembly: its files in memory, its calls, its messages.
import { ConsoleStdout, Directory, File, OpenFile, PreopenDirectory, WASI } from '@bjorn3/browser_wasi_shim';

// As in PAGE_ARRAY_LIST of page.h.
const ARRAYS = { q: 0, v: 1, pose: 2, load: 3, com: 4, energy: 5, target: 6, grip: 7, point: 8, kp: 9, kd: 10, goal: 11, shape: 12 };

/** A failure of the library: its message is one line, as the program prints it. */
export class Refusal extends Error {}

/** path -> Uint8Array as the tree of folders that WASI reads. */
function folders(files) {
  const top = new Map();
  for (const [path, bytes] of files) {
    const parts = path.split('/');
    const name = parts.pop();
    let here = top;
    for (const part of parts) {
      if (!here.has(part)) here.set(part, new Directory(new Map()));
      here = here.get(part).contents;
      if (!(here instanceof Map)) break;
    }
    if (here instanceof Map) here.set(name, new File(bytes, { readonly: true }));
  }
  return top;
}

export class Library {
  /** @param {WebAssembly.Module} module */
  static async start(module) {
    const library = new Library();
    library.module = module;
    await library.restart();
    return library;
  }

  /** A new instance: after a trap nothing of the old one can be trusted. */
  async restart() {
    this.disk = new PreopenDirectory('/', new Map());
    const silent = () => ConsoleStdout.lineBuffered(() => {});
    const wasi = new WASI(['soa'], [], [new OpenFile(new File([])), silent(), silent(), this.disk]);
    this.instance = await WebAssembly.instantiate(this.module, { wasi_snapshot_preview1: wasi.wasiImport });
    wasi.initialize(this.instance);
    this.call_ = this.instance.exports;
  }

  setFiles(files) { this.disk.dir.contents = folders(files); }

  // ---- calls --------------------------------------------------------------------------

  /** Calls a function with numbers and texts; a return of 1 is a Refusal. */
  call(name, ...values) {
    const texts = [];
    const words = values.map((value) => {
      if (typeof value !== 'string') return value;
      texts.push(this.give(value));
      return texts.at(-1);
    });
    let result;
    try {
      result = this.call_[name](...words);
    } catch (fault) {
      this.broken = true;
      throw new Refusal(`the library stopped at a fault (${fault.message}); load a model again`);
    }
    texts.forEach((text) => this.call_.free(text));
    return result;
  }

  run(name, ...values) {
    if (this.call(name, ...values) !== 0) throw new Refusal(this.text(this.call_.page_message()));
  }

  /** The same for functions that leave JSON. */
  json(name, ...values) {
    this.run(name, ...values);
    return JSON.parse(this.text(this.call_.page_text()));
  }

  plain(name, ...values) {
    this.run(name, ...values);
    return this.text(this.call_.page_text());
  }

  give(text) {
    const bytes = new TextEncoder().encode(text);
    const at = this.call_.malloc(bytes.length + 1);
    if (!at) throw new Refusal('out of memory');
    const memory = new Uint8Array(this.call_.memory.buffer, at, bytes.length + 1);
    memory.set(bytes);
    memory[bytes.length] = 0;
    return at;
  }

  text(at) {
    const memory = new Uint8Array(this.call_.memory.buffer);
    return new TextDecoder().decode(memory.subarray(at, memory.indexOf(0, at)));
  }

  /** A view of an array of numbers; valid until the next call. */
  numbers(name, count) {
    return new Float64Array(this.call_.memory.buffer, this.call_.page_numbers(ARRAYS[name]), count);
  }

  doubles(at, count) { return new Float64Array(this.call_.memory.buffer, at, count); }
}
