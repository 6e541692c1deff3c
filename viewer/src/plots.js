// Curves over time, with a cursor at the time shown.

const colors = ['#3178c6', '#e4572e', '#2a9d63'];
const ink = '#495057', faint = '#dee2e6';

export function formatNumber(x) {
  if (!Number.isFinite(x)) return 'not finite';
  if (x === 0) return '0';
  const size = Math.abs(x);
  return size >= 1e4 || size < 1e-3 ? x.toExponential(1) : String(Number(x.toPrecision(4)));
}

// Round numbers between low and high, about `count` of them.
function ticks(low, high, count) {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999);
  const out = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) out.push(k * step);
  return out;
}

export class Plot {
  // curves: [{name, values}]; logarithmic: zeros and what is not finite have no point.
  constructor(parent, {title, unit, curves, time, logarithmic, onSeek}) {
    Object.assign(this, {unit, curves, time, logarithmic});
    this.element = document.createElement('div');
    this.element.className = 'plot';
    this.heading = document.createElement('div');
    this.heading.className = 'plot-heading';
    this.title = document.createElement('span');
    this.title.textContent = unit ? `${title} [${unit}]` : title;
    this.value = document.createElement('span');
    this.value.className = 'plot-value';
    this.heading.append(this.title, this.value);
    this.canvas = document.createElement('canvas');
    this.element.append(this.heading, this.canvas);
    parent.append(this.element);
    this.image = document.createElement('canvas');
    const seek = (event) => {
      const box = this.canvas.getBoundingClientRect();
      const part = (event.clientX - box.left - this.left) / (box.width - this.left - this.right);
      onSeek(this.time[0] + Math.min(Math.max(part, 0), 1) * (this.time[this.time.length - 1] - this.time[0]));
    };
    this.canvas.addEventListener('pointerdown', (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      seek(event);
    });
    this.canvas.addEventListener('pointermove', (event) => event.buttons & 1 && seek(event));
  }

  setCurves(title, curves) {
    this.title.textContent = title;
    this.curves = curves;
    this.resize();
  }

  map(value) {
    return this.logarithmic ? (value > 0 && Number.isFinite(value) ? Math.log10(value) : NaN) : value;
  }

  range() {
    let low = Infinity, high = -Infinity;
    for (const {values} of this.curves) {
      for (const value of values) {
        const y = this.map(value);
        if (y < low) low = y;
        if (y > high) high = y;
      }
    }
    if (low > high) return [this.logarithmic ? -1 : 0, this.logarithmic ? 0 : 1];
    if (this.logarithmic) return [Math.floor(low - 0.01), Math.ceil(high + 0.01)];
    const pad = Math.max(0.06 * (high - low), 1e-9 * Math.max(Math.abs(low), Math.abs(high)), 1e-12);
    return [low >= 0 && low < 0.4 * high ? 0 : low - pad, high + pad];
  }

  resize() {
    const ratio = window.devicePixelRatio;
    this.width = this.canvas.clientWidth;
    this.height = this.canvas.clientHeight;
    if (this.width === 0) return;
    this.left = 48;
    this.right = 8;
    for (const canvas of [this.canvas, this.image]) {
      canvas.width = Math.round(this.width * ratio);
      canvas.height = Math.round(this.height * ratio);
    }
    const c = this.image.getContext('2d');
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.drawAxes(c);
    this.curves.forEach((curve, k) => this.drawCurve(c, curve, colors[k % colors.length]));
    if (this.frame !== undefined) this.update(this.frame);
  }

  x(time) {
    const first = this.time[0], span = this.time[this.time.length - 1] - first || 1;
    return this.left + (time - first) / span * (this.width - this.left - this.right);
  }

  y(mapped) {
    const [low, high] = this.limits;
    return this.height - 16 - (mapped - low) / (high - low) * (this.height - 22);
  }

  drawAxes(c) {
    this.limits = this.range();
    const [low, high] = this.limits;
    c.font = '10px system-ui, sans-serif';
    c.lineWidth = 1;
    c.textAlign = 'right';
    c.textBaseline = 'middle';
    const step = this.logarithmic ? Math.max(1, Math.ceil((high - low) / 3)) : 0;
    const marks = this.logarithmic ? [] : ticks(low, high, 3);
    for (let k = low; this.logarithmic && k <= high; k += step) marks.push(k);
    for (const mark of marks) {
      const y = Math.round(this.y(mark)) + 0.5;
      c.strokeStyle = faint;
      c.beginPath();
      c.moveTo(this.left, y);
      c.lineTo(this.width - this.right, y);
      c.stroke();
      c.fillStyle = ink;
      c.fillText(this.logarithmic ? `1e${mark}` : formatNumber(Number(mark.toPrecision(6))), this.left - 5, y);
    }
    c.textBaseline = 'alphabetic';
    c.textAlign = 'center';
    const end = this.time[this.time.length - 1];
    for (const mark of end > this.time[0] ? ticks(this.time[0], end, 4) : []) {
      const x = Math.min(this.x(mark), this.width - this.right - 8);
      c.fillText(formatNumber(Number(mark.toPrecision(6))), x, this.height - 3);
    }
  }

  // Of the frames on one pixel the least and the greatest are drawn.
  drawCurve(c, {values}, color) {
    c.strokeStyle = color;
    c.lineWidth = 1.4;
    c.lineJoin = c.lineCap = 'round';
    c.beginPath();
    let open = false, column = -1, low = 0, high = 0;
    const flush = () => {
      if (column < 0) return;
      if (!open) c.moveTo(column, this.y(low));
      c.lineTo(column, this.y(low));  // a point that stands alone is a dot
      if (high !== low) c.lineTo(column, this.y(high));
      open = true;
      column = -1;
    };
    for (let i = 0; i < values.length; ++i) {
      const mapped = this.map(values[i]);
      if (!Number.isFinite(mapped)) {
        flush();
        open = false;
        continue;
      }
      const x = Math.round(this.x(this.time[i]) * 2) / 2;
      if (x !== column) {
        flush();
        column = x;
        low = high = mapped;
      }
      low = Math.min(low, mapped);
      high = Math.max(high, mapped);
    }
    flush();
    c.stroke();
  }

  update(frame) {
    this.frame = frame;
    if (!this.width) return;
    const ratio = window.devicePixelRatio;
    const c = this.canvas.getContext('2d');
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.clearRect(0, 0, this.canvas.width, this.canvas.height);
    c.drawImage(this.image, 0, 0);
    c.setTransform(ratio, 0, 0, ratio, 0, 0);
    const x = this.x(this.time[frame]);
    c.strokeStyle = '#212529';
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(x, 2);
    c.lineTo(x, this.height - 15);
    c.stroke();
    this.value.replaceChildren(...this.curves.flatMap(({name, values}, k) => {
      const span = document.createElement('span');
      span.style.color = colors[k % colors.length];
      span.textContent = (name ? `${name} ` : '') + formatNumber(values[frame]);
      return k > 0 ? [' ', span] : [span];
    }));
    const mapped = this.curves.map(({values}) => this.map(values[frame]));
    mapped.forEach((value, k) => {
      if (!Number.isFinite(value)) return;
      c.fillStyle = colors[k % colors.length];
      c.beginPath();
      c.arc(x, this.y(value), 3, 0, 2 * Math.PI);
      c.fill();
    });
  }
}
