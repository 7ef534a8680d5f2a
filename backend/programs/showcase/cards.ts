import path from 'node:path'
import { type Canvas, createCanvas, GlobalFonts, type SKRSContext2D } from '@napi-rs/canvas'
import enCommon from '#content/en/common.json' with { type: 'json' }
import enLanding from '#content/en/landing.json' with { type: 'json' }
import zhCommon from '#content/zh/common.json' with { type: 'json' }
import zhLanding from '#content/zh/landing.json' with { type: 'json' }
import type { CameraPath } from '#renderer/view.ts'
import { HERO } from './hero.ts'
import { drawMark } from './icons.ts'
import { film, PUBLIC, ROOT, type Shot, STILL, takeStill, writePicture } from './shoot.ts'

const [WIDTH, HEIGHT] = [1200, 630]
const KILOBYTES = 78
const MARGIN = 72

/** Pans the camera, so that the subject is to the right of the text. */
const aside: CameraPath = () => ({ ...STILL(0), pan: -0.36 })

/** Background of each page's social card. */
const PAGES = {
  home: HERO,
  faq: { prompt: 'A sailboat on the ocean at sunset', seed: 21 },
  privacy: { prompt: 'A mountain lake at night with aurora', seed: 31 },
  terms: { prompt: 'A mountain lake at dawn', seed: 12 },
} as const satisfies Readonly<Record<string, Shot>>

const TITLES = {
  en: { home: enLanding.hero.title, ...enLanding.cards },
  zh: { home: zhLanding.hero.title, ...zhLanding.cards },
} as const
const TAGLINES = { en: enCommon.tagline, zh: zhCommon.tagline }

/** Renders the social cards (Open Graph images). The Chinese cards require a font such as Noto Sans CJK. */
export async function renderCards(): Promise<void> {
  const font = 'node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'
  GlobalFonts.registerFromPath(path.join(ROOT, font), 'Inter')
  for (const page of Object.keys(PAGES) as (keyof typeof PAGES)[]) {
    const frame = { width: 2 * WIDTH, height: 2 * HEIGHT, seconds: 6 }
    const picture = takeStill(await film(PAGES[page], aside, frame), 0.4, frame)
    for (const language of ['en', 'zh'] as const) {
      const card = drawCard(picture, TITLES[language][page], TAGLINES[language])
      await writePicture(card, path.join(PUBLIC, `og/${page}-${language}.jpg`), KILOBYTES)
    }
  }
}

function drawCard(picture: Canvas, title: string, tagline: string): Canvas {
  const canvas = createCanvas(WIDTH, HEIGHT)
  const context = canvas.getContext('2d', { alpha: false })
  context.drawImage(picture, 0, 0)
  const shade = context.createLinearGradient(0, 0, WIDTH, 0)
  shade.addColorStop(0, 'rgba(13,11,10,0.78)')
  shade.addColorStop(0.5, 'rgba(13,11,10,0.45)')
  shade.addColorStop(1, 'rgba(13,11,10,0)')
  context.fillStyle = shade
  context.fillRect(0, 0, WIDTH, HEIGHT)
  drawMark(context, { x: MARGIN, y: MARGIN, size: 68 })
  context.textBaseline = 'alphabetic'
  write(context, 'Kinora', { y: MARGIN + 50, x: MARGIN + 88, size: 44, weight: 700, colour: '#f6f1ec' })
  const lines = breakTitle(title)
  for (const [index, line] of lines.entries()) {
    const y = HEIGHT - MARGIN - 62 - (lines.length - 1 - index) * 92
    write(context, line, { x: MARGIN, y, size: 80, weight: 700, colour: '#f6f1ec' })
  }
  write(context, tagline, { x: MARGIN, y: HEIGHT - MARGIN, size: 30, weight: 500, colour: '#ffb886' })
  return canvas
}

type Writing = Readonly<{ x: number; y: number; size: number; weight: number; colour: string }>

function write(context: SKRSContext2D, text: string, { x, y, size, weight, colour }: Writing): void {
  context.font = fontOf(size, weight)
  context.fillStyle = colour
  context.fillText(text, x, y)
}

const fontOf = (size: number, weight: number) => `${weight} ${size}px Inter, "Noto Sans CJK SC", sans-serif`

/** Breaks a title into lines after each sentence or clause. */
const breakTitle = (title: string): string[] => title.match(/[^.,，。]+[.,，。]?/g)!.map((line) => line.trim())
