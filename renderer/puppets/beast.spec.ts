import { readFileSync } from 'node:fs'
import { createCanvas } from '@napi-rs/canvas'
import { describe, expect, it } from 'vitest'
import { readPrompt } from '../reading/readPrompt.ts'
import { footOf, paceOf } from './puppet.ts'
import { puppetFor } from './puppetFor.ts'

const rigs = ['beasts', 'birds', 'people', 'fishes', 'paper', 'creatures'].flatMap((name) =>
  Object.keys(JSON.parse(readFileSync(new URL(`../rigs/${name}.json`, import.meta.url), 'utf8'))),
)
/** `npm test` looks at every seventh rig, from the seed on. */
const some = rigs.filter((_, n) => process.env.KINORA_FULL || n % 7 === Number(process.env.KINORA_TEST_SEED) % 7)
const SCALE = 24
const MARGIN = 10
/** Antialiased edges and the tip of a swinging tail may cross the bounds by a few pixels. */
const TOLERATED = 16

describe('puppets', () => {
  it.each(some)('%s is painted, and stays inside its bounds while it stands and moves', async (name) => {
    const wanted = { name, isIcon: false, text: name, at: 0, end: 1, count: 1, scale: 1 }
    const puppet = (await puppetFor(wanted, readPrompt('')))!
    const [left, top, right, bottom] = puppet.box.map((side) => Math.round(side * SCALE)) as [
      number,
      number,
      number,
      number,
    ]
    const canvas = createCanvas(right - left + 2 * MARGIN, bottom - top + 2 * MARGIN)
    const pen = canvas.getContext('2d')
    for (const verb of ['stand', 'run', 'fly', 'sleep']) {
      for (const seconds of [0, 0.4]) {
        pen.resetTransform()
        pen.clearRect(0, 0, canvas.width, canvas.height)
        pen.setTransform(SCALE, 0, 0, SCALE, MARGIN - left, MARGIN - top)
        pen.save()
        puppet.paint(pen, { seconds, verb, isDark: false })
        pen.restore()
        const { data } = pen.getImageData(0, 0, canvas.width, canvas.height)
        let [inside, outside] = [0, 0]
        for (let y = 0, alpha = 3; y < canvas.height; y++) {
          const isRowInside = y >= MARGIN - 2 && y < canvas.height - MARGIN + 2
          for (let x = 0; x < canvas.width; x++, alpha += 4) {
            if (data[alpha]! <= 40) continue
            if (isRowInside && x >= MARGIN - 2 && x < canvas.width - MARGIN + 2) inside++
            else outside++
          }
        }
        expect(inside).toBeGreaterThan(10)
        expect(outside, `${verb} at ${seconds} s`).toBeLessThan(TOLERATED)
      }
    }
  })
})

describe('footOf', () => {
  it('moves a foot on the ground backwards at the pace of the body, so that it does not slide', () => {
    const gait = { cycle: 1.2, duty: 0.6, step: 0.5, lift: 0.1, phases: [0] }
    const [early, late] = [footOf(gait, 0, 0.1), footOf(gait, 0, 0.5)]
    expect(early[1]).toBe(0)
    expect(late[1]).toBe(0)
    expect((early[0] - late[0]) / 0.4).toBeCloseTo(paceOf(gait))
  })
})
