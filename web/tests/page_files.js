// Files that are dropped on the page: broken ones, hostile ones, zip files, what soa view inlines.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zipSync } from 'fflate';
import { check, give, message, run } from './browser.js';

const PROGRAM = process.env.SOA_PROGRAM;
const ROBOTS = process.env.SOA_ROBOTS || '';
const folder = mkdtempSync(join(tmpdir(), 'soa-files-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const link = (name, more = '') => `<link name="${name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>${more}</link>`;
const robot = (inside) => `<?xml version="1.0"?>\n<robot name="r">\n${inside}\n</robot>\n`;
const arm = (axis, more = '') => robot(`${link('a')}\n${link('b', more)}\n<joint name="j" type="revolute"><parent link="a"/><child link="b"/>\n<axis xyz="${axis}"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>`);
const tetrahedron = 'solid s\n' + [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]].map((f) => `facet normal 0 0 1\nouter loop\n${f.map((i) => `vertex ${[[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]][i].join(' ')}`).join('\n')}\nendloop\nendfacet`).join('\n') + '\nendsolid s\n';
const meshed = arm('0 0 1', '<visual><geometry><mesh filename="package://r/meshes/t.stl"/></geometry></visual>');

const BROKEN = {
  'zero.urdf': arm('0 0 0'),
  'cut.urdf': arm('0 0 1').slice(0, 200),
  'doctype.urdf': '<!DOCTYPE robot [<!ENTITY a "b">]>\n<robot name="r"/>',
  'tag.xml': '<mujoco>\n<worldbody>\n<body>\n</worldbody>\n</mujoco>',
  'list.yaml': 'soa: 1\nmodel: x\nlinks:\n  - [1\n',
  'key.yaml': 'soa: 1\nmodel: x\nlniks: []\n',
  'scenario.yaml': 'soa: 1\nscenario: s\nmodel: builtin:pendulum\nduration: 1\nforces:\n  - {kind: sprung}\n',
};

/** What the program says of a file, run in its folder. */
function program(name, text) {
  writeFileSync(join(folder, name), text);
  const words = /scenario/.test(name) ? ['sim', name, '--check'] : ['info', name];
  const ran = spawnSync(PROGRAM, words, { cwd: folder, encoding: 'utf8' });
  return ran.status === 0 ? null : ran.stderr.split('\n')[0];
}

await run({
  async 'broken files show the line of the program'(browser) {
    const page = await browser.open();
    const files = { ...BROKEN };
    if (existsSync(join(ROBOTS, 'bad'))) {
      for (const name of readdirSync(join(ROBOTS, 'bad'))) if (/\.(urdf|xml|ya?ml)$/.test(name) && statSync(join(ROBOTS, 'bad', name)).size < 2e6) files[name] = readFileSync(join(ROBOTS, 'bad', name));
    }
    let refused = 0;
    for (const [name, text] of Object.entries(files)) {
      const wanted = program(name, text);
      await give(page, { [name]: text });
      const shown = await message(page);
      if (wanted === null) continue;
      refused++;
      check(shown === wanted, `${name}:\n page:    ${shown}\n program: ${wanted}`);
    }
    check(refused >= Object.keys(BROKEN).length, `only ${refused} were refused`);
    console.log(`  ${refused} refusals, each the line of the program`);
  },
  async 'names with markup stay text'(browser) {
    const page = await browser.open();
    const bad = '&lt;img src=x onerror=&quot;window.hacked=1&quot;&gt;';
    await give(page, { 'bad.urdf': robot(`${link(bad)}\n${link('&lt;script&gt;window.hacked=1&lt;/script&gt;')}\n<joint name="${bad}2" type="continuous"><parent link="${bad}"/><child link="&lt;script&gt;window.hacked=1&lt;/script&gt;"/></joint>`) });
    for (const key of ['1', '2', '3', '4', '5', '6']) await page.keyboard.press(key);
    await page.waitForTimeout(100);
    const found = await page.evaluate(() => ({ hacked: window.hacked, images: document.querySelectorAll('#app img, #app script').length, names: document.querySelector('#joints').textContent }));
    check(!found.hacked && found.images === 0, 'markup in a name was taken for markup');
    check(found.names.includes('onerror'), 'the name is not shown');
  },
  async 'zip files: meshes, bombs, paths'(browser) {
    const page = await browser.open();
    await give(page, { 'r.zip': zipSync({ 'r/robot.urdf': Buffer.from(meshed), 'r/meshes/t.stl': Buffer.from(tetrahedron) }) });
    check(await page.evaluate(() => window.soa.app.path === 'r/robot.urdf' && window.soa.app.robot.missing.size === 0), `not loaded: ${await message(page)}`);
    await give(page, { 'up.zip': zipSync({ '../../etc/robot.urdf': Buffer.from(meshed) }) });
    check(/leads out of the folder/.test(await message(page)), await message(page));
    const bomb = zipSync({ 'robot.urdf': Buffer.from(meshed), 'bomb.stl': new Uint8Array(140 << 20) }, { level: 6 });
    check(bomb.length < 1 << 20, 'the bomb is not small');
    await give(page, { 'bomb.zip': bomb });
    check(/too large|larger than/.test(await message(page)), await message(page));
    await give(page, { 'not.zip': Buffer.from('PK\x03\x04 nothing of the kind, but long enough to be looked at as a header') });
    check((await message(page)).length > 0, 'a false zip file passes in silence');
    await give(page, { 'nothing.txt': 'hello' });
    check(/no model/.test(await message(page)), await message(page));
    check(await page.evaluate(() => window.soa.app.path === 'r/robot.urdf'), 'the model before is gone');
  },
  async 'meshes that are not what they say'(browser) {
    const page = await browser.open();
    const huge = Buffer.alloc(200);
    huge.writeUInt32LE(0xfffffff0, 80);
    for (const [name, bytes] of [['t.stl', huge], ['t.obj', Buffer.from('v 1 2\nf 9 9 9\nf a b c\n')], ['t.dae', Buffer.from('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><COLLADA/>')], ['t.gltf', Buffer.from('{}')]]) {
      await give(page, { 'robot.urdf': meshed.replace('t.stl', name), [`meshes/${name}`]: bytes });
      check(await page.evaluate(() => window.soa.app.path === 'robot.urdf' && window.soa.app.robot.parts.flat().length > 0), `${name}: ${await message(page)}`);
      check((await message(page)).includes(name), `nothing is said of ${name}: ${await message(page)}`);
    }
  },
  async 'textures and materials that are not drawn are named'(browser) {
    const page = await browser.open();
    const triangle = 'mtllib t.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl red\nf 1 2 3\n';
    await give(page, { 'robot.urdf': meshed.replace('t.stl', 't.obj').replace('<visual>', '<visual><material name="m"><texture filename="t.png"/></material>'), 'meshes/t.obj': triangle });
    check(/t\.obj: materials/.test(await message(page)), await message(page));
    check(/names 1 texture/.test(await page.textContent('#view .warnings')), await page.textContent('#view .warnings'));
    await page.keyboard.press('Escape');
    check((await message(page)) === '', 'Escape does not close the message');
  },
  async 'collision shapes stand in for a mesh that is not there'(browser) {
    const page = await browser.open();
    const drawn = () => page.evaluate(() => window.soa.app.robot.drawn.has(window.soa.app.model.links.findIndex((one) => one.name === 'b')));
    const mesh = (kind, name) => `<${kind}><geometry><mesh filename="package://r/meshes/${name}"/></geometry></${kind}>`;
    await give(page, { 'robot.urdf': arm('0 0 1', mesh('visual', 'gone.dae') + mesh('collision', 't.stl')), 'meshes/t.stl': tetrahedron });
    check(await drawn(), `the collision mesh is not drawn: ${await message(page)}`);
    check(/gone\.dae/.test(await message(page)), `nothing is said of the mesh: ${await message(page)}`);
    await give(page, { 'robot.urdf': arm('0 0 1', mesh('visual', 'gone.dae') + mesh('collision', 'gone.stl')) });
    check(!await drawn(), 'a shape that is not there is drawn');
  },
  async 'soa view inlines model, meshes and recording'(browser) {
    const own = join(folder, 'own');
    mkdirSync(join(own, 'meshes'), { recursive: true });
    writeFileSync(join(own, 'robot.urdf'), meshed.replace('name="b"', 'name="b&lt;/script&gt;"').replace('child link="b"', 'child link="b&lt;/script&gt;"'));
    writeFileSync(join(own, 'meshes/t.stl'), tetrahedron);
    writeFileSync(join(own, 's.yaml'), 'soa: 1\nscenario: s\nmodel: robot.urdf\nduration: 0.5\ninitial: {v: {j: 1}}\nrecord: {every: 0.05, signals: [q]}\n');
    execFileSync(PROGRAM, ['sim', 's.yaml', '--out', 'run'], { cwd: own });
    execFileSync(PROGRAM, ['view', 'robot.urdf', 'run', '-o', 'robot.html'], { cwd: own, stdio: 'pipe' });
    const page = await browser.open(join(own, 'robot.html'));
    const shown = await page.evaluate(() => {
      window.soa.simulation.seek(0.25);
      return { links: window.soa.app.model.links.map((l) => l.name), missing: window.soa.app.robot.missing.size, q: window.soa.app.q()[0], tab: document.querySelector('[aria-selected=true]').textContent };
    });
    const rows = readFileSync(join(own, 'run/result.csv'), 'utf8').trim().split('\n').map((row) => row.split(',').map(Number));
    check(shown.links[1] === 'b</script>' && shown.missing === 0 && shown.tab === 'Simulate', JSON.stringify(shown));
    check(Math.abs(shown.q - rows.find((row) => Math.abs(row[0] - 0.25) < 1e-9)[1]) < 1e-12, `q ${shown.q}`);
    await page.keyboard.press(' ');
    await page.waitForTimeout(300);
    check(await page.evaluate(() => window.soa.simulation.running), 'the recording does not play');
    // Another recording, dropped on the page; then one that is none.
    await give(page, { 'result.csv': 't,q.j\n0,0.1\n1,0.2\n' });
    check(await page.evaluate(() => Math.abs(window.soa.app.q()[0] - 0.1) < 1e-15), 'the dropped recording is not shown');
    await give(page, { 'result.csv': 't,q.other\n0,0.1\n' });
    check(/has not every q/.test(await message(page)), await message(page));
    await give(page, { 'result.csv': 'a,b\n1,2\n' });
    check(/not a recording/.test(await message(page)), await message(page));
  },
});
