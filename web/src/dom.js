// Elements. Texts are always text: names come from files and are never HTML.

export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (name in element && typeof value !== 'string') element[name] = value;
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

/** 4 digits, no more. */
export function short(x) {
  if (x === null || Number.isNaN(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  return size >= 1e5 || size < 1e-3 ? x.toExponential(2) : String(Number(x.toPrecision(4)));
}

/** One message at the foot of the page, read aloud by screen readers. */
export function say(text, bad = false) {
  const place = document.getElementById('message');
  place.textContent = text;
  place.classList.toggle('bad', bad);
  place.hidden = !text;
}

export function save(name, data, type) {
  const url = URL.createObjectURL(data instanceof Blob ? data : new Blob([data], { type }));
  h('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const NS = 'http://www.w3.org/2000/svg';
const ICONS = {
  play: 'M7 5l12 7-12 7z', pause: 'M7 5h4v14H7zM14 5h4v14h-4z', step: 'M5 5l9 7-9 7zM16 5h3v14h-3z',
  reset: 'M12 5V2L7 6l5 4V7a5 5 0 1 1-5 5H5a7 7 0 1 0 7-7z',
  theme: 'M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z', open: 'M4 5h6l2 2h8v12H4zM6 11v6h12v-8H6z',
  camera: 'M8 6l1-2h6l1 2h4v13H4V6zm4 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8z',
  help: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm-1 13h2v2h-2zm1-10a4 4 0 0 1 1 7.5V15h-2v-3c2 0 3-1 3-2a2 2 0 0 0-4 0H8a4 4 0 0 1 4-4z',
};

export function icon(name) {
  const svg = document.createElementNS(NS, 'svg');
  const path = document.createElementNS(NS, 'path');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

export function button(text, act, iconName, title = text) {
  return h('button', { type: 'button', title, 'aria-label': title, onclick: act, class: iconName && !text ? 'icon' : '' },
    iconName ? icon(iconName) : null, text ? h('span', {}, text) : null);
}

/** A slider with a label and its value in words. */
export function slide(label, min, max, step, value, text, act) {
  const range = h('input', { type: 'range', min: String(min), max: String(max), step: String(step), value: String(value), 'aria-label': label });
  const output = h('output', {}, text(value));
  range.addEventListener('input', () => { output.textContent = text(Number(range.value)); act(Number(range.value)); });
  const element = h('label', { class: 'slider wide' }, h('span', { class: 'which' }, label), range, output);
  element.set = (x) => { range.value = String(x); output.textContent = text(x); };
  return element;
}
