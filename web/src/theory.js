// docs/theory.md inside the page: labels such as [FD4] lead to their formula, without a network.
import text from '../../docs/theory.md?raw';
import { h } from './dom.js';

const LABEL = /\[([A-Z][A-Za-z0-9-]*)\]/;

/** Labels that theory.md defines: those that begin a line of a formula. */
export const LABELS = new Set([...text.matchAll(/^ {4,}\[([A-Z][A-Za-z0-9-]*)\]\s/gm)].map((found) => found[1]));

/** The formula of a quantity that recursions compute. */
export const FORMULA = { V: 'V', alpha: 'ACC', a: 'A-gen', b: 'B', f: 'FRC', P: 'P', D: 'P', K: 'P', psi: 'P', R: 'R', Ups: 'UPS', eps: 'FD3', eps2: 'FD4', z: 'FD4', nu: 'FD4', lambda: 'I6', y: 'I6' };

/** A label that opens the theory at its formula; text if there is none. */
export function labelLink(label) {
  return LABELS.has(label) ? h('button', { type: 'button', class: 'label', title: `Theory: [${label}]`, onclick: () => openTheory(label) }, `[${label}]`) : `[${label}]`;
}

/** Text with its labels as links. */
export function withLabels(line) {
  const parts = [];
  for (let rest = line; rest;) {
    const found = LABEL.exec(rest);
    if (!found) { parts.push(rest); break; }
    parts.push(rest.slice(0, found.index), labelLink(found[1]));
    rest = rest.slice(found.index + found[0].length);
  }
  return parts;
}

function inline(line) {
  return line.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/).filter(Boolean).flatMap((part) => {
    if (part.startsWith('`')) return h('code', {}, part.slice(1, -1));
    if (part.startsWith('**')) return h('strong', {}, part.slice(2, -2));
    const link = /^\[([^\]]+)\]\([^)]+\)$/.exec(part);
    return link ? link[1] : withLabels(part);
  });
}

function formulas(lines) {
  const groups = []; // a line with a label, and those that go on below it
  for (const line of lines) {
    const label = /^\s*\[([A-Z][A-Za-z0-9-]*)\]/.exec(line)?.[1];
    if (!label && groups.at(-1)?.label && /^ {8}/.test(line)) groups.at(-1).lines.push(line.slice(4));
    else groups.push({ label, lines: [line.slice(4)] });
  }
  return h('pre', {}, groups.flatMap(({ label, lines: some }) => [
    h('span', label ? { class: 'row-of', 'data-label': label } : {}, ...(label ? [some.join('\n')] : withLabels(some.join('\n')))), '\n']));
}

function table(lines) {
  const cells = (line) => line.replace(/^\||\|$/g, '').split('|').map((cell) => cell.trim());
  const [head, , ...rows] = lines;
  return h('table', {}, h('tr', {}, cells(head).map((cell) => h('th', {}, inline(cell)))), rows.map((row) => h('tr', {}, cells(row).map((cell) => h('td', {}, inline(cell))))));
}

/** What a block of lines is: its beginning, and how it is drawn. */
const BLOCKS = [
  [/^#{1,4} /, (lines) => h(`h${Math.min(lines[0].indexOf(' ') + 1, 4)}`, {}, lines[0].replace(/^#+ /, ''))],
  [/^ {4}/, formulas],
  [/^\|/, table],
  [/^[-*] /, (lines) => h('ul', {}, lines.join('\n').split(/^[-*] /m).filter(Boolean).map((item) => h('li', {}, inline(item.replaceAll('\n', ' ')))))],
  [/./, (lines) => h('p', {}, inline(lines.join(' ')))],
];

function render() {
  const blocks = [];
  for (const line of text.split('\n')) {
    const last = blocks.at(-1);
    const formula = /^ {4}/.test(line);
    if (line.trim() === '') { if (last?.length > 0) blocks.push([]); continue; }
    if (!last || last.length === 0 || formula !== /^ {4}/.test(last[0]) || /^#/.test(last[0])) { if (last?.length === 0) last.push(line); else blocks.push([line]); } else last.push(line);
  }
  return blocks.filter((block) => block.length > 0).map((block) => BLOCKS.find(([begin]) => begin.test(block[0]))[1](block));
}

let dialog = null;

export function openTheory(label) {
  if (!dialog) {
    dialog = h('dialog', { class: 'theory', 'aria-label': 'Theory' }, h('form', { method: 'dialog', class: 'bar' }, h('strong', {}, 'Theory'), h('span', { class: 'grow' }), h('button', {}, 'Close')), h('div', { class: 'text', tabIndex: 0 }, render()));
    document.body.append(dialog);
  }
  if (!dialog.open) dialog.showModal();
  dialog.querySelectorAll('.now').forEach((row) => row.classList.remove('now'));
  const row = label ? dialog.querySelector(`[data-label="${label}"]`) : dialog.querySelector('.text').firstChild;
  if (label) row?.classList.add('now');
  row?.scrollIntoView({ block: 'center' });
}
