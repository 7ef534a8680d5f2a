import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { drawAll, type Results } from './plots/drawAll.ts'

/**
 * Draws the committed results as SVG files: `npm run bench -- plot [folder]`, by default in `docs/bench`. The other
 * commands measure and write the results with `--json`.
 */
const folder = process.argv[2] ?? 'docs/bench'
const read = (name: string) => JSON.parse(readFileSync(path.join(import.meta.dirname, name), 'utf8'))

const results: Results = {
  figures: read('results.json').rows,
  peers: read('peers.json').rows,
  curves: read('curves.json').curves,
}
mkdirSync(folder, { recursive: true })
for (const [name, svg] of Object.entries(drawAll(results))) {
  writeFileSync(path.join(folder, name), svg)
  console.log(path.join(folder, name))
}
