// Curves over time on a canvas.
const INKS = ['#2f6db3', '#d9812f', '#3b8f6b', '#a8528f', '#5aa7c7', '#b3922f', '#6c5aa8', '#777777'];

function tick(range, count) {
  const raw = range / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const part = raw / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

export function drawPlot(canvas, curves, now) {
  const scale = Math.min(devicePixelRatio || 1, 2);
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (width === 0) return;
  canvas.width = width * scale;
  canvas.height = height * scale;
  const pen = canvas.getContext('2d');
  const style = getComputedStyle(canvas);
  pen.scale(scale, scale);
  pen.clearRect(0, 0, width, height);
  pen.font = '11px system-ui, sans-serif';
  const all = curves.flatMap((curve) => [curve.low, curve.high]);
  let low = Math.min(...all);
  let high = Math.max(...all);
  const begin = Math.min(...curves.map((curve) => curve.t[0]));
  const end = Math.max(...curves.map((curve) => curve.t[curve.t.length - 1]));
  if (!(high > low)) { low -= 0.5; high += 0.5; }
  const box = { left: 46, right: width - 8, top: 8, bottom: height - 20 };
  const x = (t) => box.left + ((t - begin) / (end - begin || 1)) * (box.right - box.left);
  const y = (v) => box.bottom - ((v - low) / (high - low)) * (box.bottom - box.top);
  pen.strokeStyle = style.getPropertyValue('--line');
  pen.fillStyle = style.getPropertyValue('--faint');
  pen.lineWidth = 1;
  const dy = tick(high - low, 4);
  for (let v = Math.ceil(low / dy) * dy; v <= high; v += dy) {
    pen.beginPath(); pen.moveTo(box.left, y(v)); pen.lineTo(box.right, y(v)); pen.stroke();
    pen.textAlign = 'right';
    pen.fillText(String(Number(v.toPrecision(3))), box.left - 6, y(v) + 4);
  }
  const dx = tick(end - begin || 1, 5);
  for (let t = Math.ceil(begin / dx) * dx; t <= end; t += dx) {
    pen.textAlign = 'center';
    pen.fillText(`${Number(t.toPrecision(3))} s`, x(t), height - 5);
  }
  curves.forEach((curve, i) => {
    pen.strokeStyle = INKS[i % INKS.length];
    pen.lineWidth = 1.6;
    pen.beginPath();
    curve.t.forEach((t, k) => pen[k ? 'lineTo' : 'moveTo'](x(t), y(curve.y[k])));
    pen.stroke();
  });
  if (now !== undefined) {
    pen.strokeStyle = style.getPropertyValue('--text');
    pen.lineWidth = 1;
    pen.beginPath(); pen.moveTo(x(now), box.top); pen.lineTo(x(now), box.bottom); pen.stroke();
  }
}

export function inkOf(i) { return INKS[i % INKS.length]; }
