import qrcode from 'qrcode-generator';

/** Modules of quiet that readers want around a code. */
const QUIET = 4;
const SVG = 'http://www.w3.org/2000/svg';

/** A link as a QR code, dark on light in either theme: readers expect that. */
export function qrCode(text: string): SVGSVGElement {
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const rows = Array.from({ length: count }, (_, row) =>
    Array.from({ length: count }, (_, column) =>
      code.isDark(row, column) ? `M${column + QUIET} ${row + QUIET}h1v1h-1z` : '',
    ).join(''),
  );
  const size = count + 2 * QUIET;
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', `0 0 ${size} ${size}`);
  svg.setAttribute('shape-rendering', 'crispEdges');
  svg.setAttribute('aria-hidden', 'true');
  const ground = document.createElementNS(SVG, 'rect');
  for (const [name, value] of Object.entries({ width: size, height: size, fill: '#fff' }))
    ground.setAttribute(name, String(value));
  const dark = document.createElementNS(SVG, 'path');
  dark.setAttribute('d', rows.join(''));
  svg.append(ground, dark);
  return svg;
}
