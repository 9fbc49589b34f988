// Opens the default scenario in Surfer's web build, as the state file of `xtq run --wave` sets it up, in a browser without a screen; the picture is target/waveform-surfer.png.
// Fails unless Surfer takes the file and then has each group, marker, signal and form of it. Needs chromium and imagemagick of Debian, node and its package
// playwright-core. At the root of the repository, after `cargo build --release`:
//
//     NODE_PATH=<where playwright-core is> node docs/waveform-surfer.mjs <folder with index.html and surfer_bg.wasm>
//
// The web build has no names of codes, and stops at a form that it has not. So they are left out here.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const { chromium } = createRequire(import.meta.url)('playwright-core');
const surfer = process.argv[2];
const xtq = path.join(process.env.CARGO_TARGET_DIR ?? 'target', 'release', 'xtq');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'waveform-surfer-'));
execFileSync(xtq, ['-q', 'run', '--wave', path.join(folder, 'run.vcd')]);
const state = fs.readFileSync(path.join(folder, 'run.surf.ron'), 'utf8').replace(/Some\("xtq_\w+"\)/g, 'None');

const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
const server = http.createServer((request, response) => {
  const name = path.basename(request.url.split('?')[0]);
  const file = [surfer, folder].map(place => path.join(place, name)).find(file => fs.existsSync(file));
  response.writeHead(file ? 200 : 404, { 'Content-Type': types[path.extname(name)] ?? 'application/octet-stream' });
  response.end(file && fs.readFileSync(file));
});
await new Promise(listening => server.listen(0, '127.0.0.1', listening));
const address = `http://127.0.0.1:${server.address().port}`;

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
    '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
try {
  const page = await browser.newPage({ viewport: { width: 1500, height: 1100 } });
  const complaints = [];
  page.on('console', message => { if (/ERROR|panicked/.test(message.text())) complaints.push(message.text()); });
  const tell = message => page.evaluate(text => inject_message(text), JSON.stringify(message));
  await page.goto(`${address}/index.html?load_url=${address}/run.vcd`);
  await page.waitForFunction(() => window.inject_message);
  await page.waitForTimeout(5000);
  await tell({ LoadStateFromData: [...Buffer.from(state)] });
  await tell({ SetSidePanelVisible: false });
  await page.waitForTimeout(5000);
  // Wider columns for names and values.
  for (const [from, to] of [[98, 230], [328, 400]]) {
    await page.mouse.move(from, 600);
    await page.mouse.down();
    await page.mouse.move(to, 600, { steps: 10 });
    await page.mouse.up();
  }
  await page.mouse.move(700, 20);
  await page.waitForTimeout(2000);
  const screen = path.join(folder, 'screen.png');
  await page.screenshot({ path: screen });
  const got = await page.evaluate(async () => (await import('./surfer.js')).get_state());
  for (const part of [/: Group\(/g, /: Marker\(/g, /: Variable\(/g, /format: Some\("Unsigned"\)/g, /unfolded: true/g]) {
    const [wanted, has] = [state, got].map(text => text.match(part).length);
    console.log(`${has} of ${wanted}: ${part.source}`);
    if (has !== wanted) complaints.push(part.source);
  }
  const [wanted, has] = [state, got].map(text => text.match(/cursor: .*\n.*/)[0]);
  if (has !== wanted) complaints.push(`${has}, not ${wanted}`);
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
  // Without the address at the bottom.
  execFileSync('convert', [screen, '-gravity', 'South', '-chop', '0x25', '+dither', '-colors', '32', 'target/waveform-surfer.png']);
} finally {
  await browser.close();
  server.close();
  fs.rmSync(folder, { recursive: true });
}
