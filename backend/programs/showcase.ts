/**
 * Renders the pictures and clips of the site with the demo renderer. They are committed, so run it only when a picture
 * changes: `npm run showcase`, or `npm run showcase -- hero` for some parts.
 */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { renderCards } from './showcase/cards.ts'
import { renderFeatures } from './showcase/features.ts'
import { renderHero } from './showcase/hero.ts'
import { renderIcons } from './showcase/icons.ts'
import { renderMovements } from './showcase/movements.ts'
import { recordReceipt } from './showcase/receipt.ts'
import { MEDIA, PUBLIC } from './showcase/shoot.ts'
import { renderTemplates } from './showcase/templates.ts'
import { renderWall } from './showcase/wall.ts'

const PARTS: Readonly<Record<string, () => Promise<void>>> = {
  hero: renderHero,
  wall: renderWall,
  templates: renderTemplates,
  movements: renderMovements,
  features: renderFeatures,
  icons: renderIcons,
  cards: renderCards,
  receipt: recordReceipt,
}

for (const folder of [
  ...['hero', 'wall/clips', 'wall/posters', 'movements', 'features'].map((name) => path.join(MEDIA, name)),
  path.join(PUBLIC, 'og'),
  path.join(PUBLIC, 'templates'),
])
  await mkdir(folder, { recursive: true })
const wanted = process.argv.slice(2)
for (const [name, render] of Object.entries(PARTS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  console.log(`Rendering ${name} …`)
  await render()
}
