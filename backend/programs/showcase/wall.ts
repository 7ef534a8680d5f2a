import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Canvas } from '@napi-rs/canvas'
import { dissolving } from './dissolve.ts'
import { FPS, film, MEDIA, type Shot, takeStill, writeClip, writePicture } from './shoot.ts'

const FRAME = { width: 480, height: 270, seconds: 5 }
const LOOP_SECONDS = 4
const [POSTER_KILOBYTES, CRF] = [9, 31]

type WallShot = Shot & Readonly<{ name: string; zh: string }>

/** The clips of the wall, each with its prompt in both languages. */
const SHOTS: readonly WallShot[] = [
  {
    name: 'horse',
    seed: 3,
    prompt: 'A white horse gallops across the prairie at sunset',
    zh: '夕阳下，一匹白马在草原上飞驰',
  },
  {
    name: 'jellyfish',
    seed: 5,
    prompt: 'A jellyfish glows in the deep sea',
    zh: '深海里，一只水母发着光',
    movements: ['推进'],
  },
  {
    name: 'umbrella',
    seed: 8,
    prompt: 'A woman with a red umbrella in rainy neon Tokyo',
    zh: '雨夜东京，霓虹灯下撑红伞的女人',
  },
  {
    name: 'fox',
    seed: 2,
    prompt: 'A red fox walks through a snowy forest at dawn',
    zh: '清晨，一只红狐狸走过雪中的森林',
  },
  { name: 'astronaut', seed: 4, prompt: 'An astronaut walks on the moon', zh: '宇航员在月球上行走' },
  { name: 'train', seed: 6, prompt: 'A steam train crosses a snowy mountain valley', zh: '蒸汽火车穿过雪山山谷' },
  {
    name: 'whale',
    seed: 7,
    prompt: 'A whale leaps out of the ocean at golden hour',
    zh: '落日时分，鲸鱼跃出大海',
    movements: ['推进'],
  },
  {
    name: 'panda',
    seed: 9,
    prompt: 'A panda eats in a bamboo forest in the morning',
    zh: '早晨，大熊猫在竹林里吃竹子',
    movements: ['推进'],
  },
  {
    name: 'penguins',
    seed: 1,
    prompt: 'Five penguins walk under the northern lights',
    zh: '极光下，五只企鹅在冰面上行走',
  },
  {
    name: 'dancer',
    seed: 3,
    prompt: 'A girl in a red dress dances on a stage',
    zh: '穿红裙子的女孩在舞台上跳舞',
    movements: ['推进'],
  },
  { name: 'ship', seed: 5, prompt: 'A pirate ship sails through fog at night', zh: '夜雾中，一艘海盗船在航行' },
  { name: 'tiger', seed: 8, prompt: 'A tiger runs through a bamboo forest', zh: '老虎在竹林中奔跑' },
  {
    name: 'cranes',
    seed: 4,
    prompt: 'Two cranes fly over a mountain lake in autumn',
    zh: '秋天，两只仙鹤飞过山间的湖',
  },
  {
    name: 'maiden',
    seed: 2,
    prompt: 'A maiden with a lantern crosses a bridge in a water town',
    zh: '古风少女提灯走在江南石桥上',
  },
  { name: 'wolf', seed: 6, prompt: 'A wolf runs through a snowy birch forest at night', zh: '冬夜，一只狼跑过白桦林' },
  {
    name: 'samurai',
    seed: 7,
    prompt: 'A samurai stands under falling petals at sunset',
    zh: '夕阳下，武士站在飘落的花瓣中',
    movements: ['推进'],
  },
]

/** Renders the looping clips and posters of the landing page's wall, and a manifest with their prompts and colours. */
export async function renderWall(): Promise<void> {
  const clips = []
  for (const { zh, name, ...shot } of SHOTS) {
    const { width, height } = FRAME
    const large = { ...FRAME, width: 2 * width, height: 2 * height }
    const poster = takeStill(await film(shot, undefined, large), LOOP_SECONDS / FRAME.seconds, large)
    await writePicture(poster, path.join(MEDIA, `wall/posters/${name}.avif`), POSTER_KILOBYTES)
    const draw = await film(shot, undefined, FRAME)
    const clip = {
      out: path.join(MEDIA, `wall/clips/${name}.mp4`),
      width,
      height,
      frames: FPS * LOOP_SECONDS,
      crf: CRF,
    }
    await writeClip(clip, dissolving(draw, FRAME, LOOP_SECONDS))
    clips.push({
      ...{ poster: `posters/${name}.avif`, clip: `clips/${name}.mp4` },
      prompt: { en: shot.prompt, zh },
      width,
      height,
      colours: coloursOf(poster),
    })
  }
  await writeFile(path.join(MEDIA, 'wall/wall.json'), `${JSON.stringify(clips, null, 2)}\n`)
}

/** Returns the mean colours of the top, middle and bottom third of a picture, as `#rrggbb`. */
function coloursOf(picture: Canvas): string[] {
  const context = picture.getContext('2d')
  const third = Math.floor(picture.height / 3)
  return [0, 1, 2].map((row) => {
    const { data } = context.getImageData(0, row * third, picture.width, third)
    const mean = (channel: number) =>
      data.reduce((sum, value, i) => sum + (i % 4 === channel ? value : 0), 0) / (data.length / 4)
    return `#${Buffer.from([mean(0), mean(1), mean(2)]).toString('hex')}`
  })
}
