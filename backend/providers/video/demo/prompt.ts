import { PALETTES, type Palette, type TimeOfDay } from './palette.ts'
import { createRandom, hashText } from './random.ts'

export const BIOMES = ['mountain', 'ocean', 'desert', 'field', 'forest', 'city', 'space'] as const
export type Biome = (typeof BIOMES)[number]
export const WEATHERS = ['rain', 'snow', 'fog', 'petals', 'fireflies'] as const
export type Weather = (typeof WEATHERS)[number]
export const SUBJECTS = ['cat', 'dog', 'person', 'birds', 'boat', 'balloon'] as const
export type Subject = (typeof SUBJECTS)[number]

/** English words and Chinese substrings. `*` matches any ending, `_` an optional space or hyphen; plurals match too. */
type Words = readonly [english: string, chinese: string]

function pattern([english, chinese]: Words): RegExp {
  const words = english
    .split(' ')
    .map((word) => (word.endsWith('*') ? `${word.slice(0, -1)}\\w*` : `${word}(?:s|es)?`))
    .map((word) => word.replaceAll('_', '[ -]?'))
  return new RegExp(`\\b(?:${words.join('|')})\\b|${chinese.split(' ').join('|')}`, 'i')
}

function patterns<K extends string>(table: Readonly<Record<K, Words>>): ReadonlyMap<K, RegExp> {
  return new Map((Object.entries(table) as [K, Words][]).map(([key, words]) => [key, pattern(words)]))
}

const BIOME_WORDS = patterns<Biome>({
  ocean: [
    'ocean sea seaside beach wave surf* coast* shore island lagoon sail* boat ship yacht whale dolphin seagull harbo*',
    '海 沙滩 岛 波浪 浪花 船 帆 鲸',
  ],
  city: [
    'city cities street skyline urban downtown cyberpunk neon tokyo new_york shanghai building skyscraper rooftop taxi subway',
    '城市 都市 城里 街 霓虹 赛博 高楼 大厦 上海 东京 纽约 建筑',
  ],
  forest: [
    'forest wood woodland jungle tree grove rainforest bamboo deer fox fairy fairies elf elves',
    '森林 树林 丛林 竹 林间 鹿 狐 精灵',
  ],
  space: [
    'space galaxy galaxies planet nebula* astronaut cosmos cosmic universe starship spaceship alien mars rocket',
    '太空 宇宙 星系 银河 行星 星云 宇航员 飞船 火箭 外星 火星',
  ],
  desert: ['desert dune sahara camel canyon mesa', '沙漠 沙丘 戈壁 骆驼 峡谷'],
  field: [
    'field meadow grass* prairie farm* flower lavender wheat garden spring butterfly butterflies picnic village',
    '草地 草原 田 花 麦 薰衣草 春天 蝴蝶 乡村',
  ],
  mountain: [
    'mountain alps alpine peak hill valley lake himalaya* cliff fjord river waterfall eagle dragon castle hik*',
    '山 湖 峰 谷 悬崖 瀑布 河 鹰 龙 城堡',
  ],
})

const TIME_WORDS = patterns<TimeOfDay>({
  night: ['night midnight moon moonlit moonlight starry dark aurora firefl* northern_light', '夜 月 星空 极光 萤火'],
  sunset: ['sunset dusk golden_hour evening twilight', '日落 夕阳 黄昏 傍晚 晚霞'],
  dawn: ['sunrise dawn morning pastel dream*', '日出 清晨 早晨 黎明 朝霞 梦'],
  day: [
    'day daylight daytime sunny noon midday afternoon blue_sky blue_skies bright summer',
    '白天 晴 正午 中午 阳光 蓝天 夏',
  ],
})

const WEATHER_WORDS = patterns<Weather>({
  rain: ['rain* storm* thunder* wet drizzl*', '雨 雷 暴风'],
  snow: ['snow* winter blizzard ice icy frozen christmas', '雪 冬 冰 圣诞'],
  fog: ['fog* mist* haze hazy smoke smoky moody', '雾 霾 烟雨 炊烟'],
  petals: ['blossom* sakura cherry petal romantic', '樱 花瓣 浪漫'],
  fireflies: ['firefl* magic* fairy glow* enchant*', '萤 魔法 仙 发光'],
})

const SUBJECT_WORDS = patterns<Subject>({
  cat: ['cat kitten kitty kitties', '猫'],
  dog: ['dog puppy puppies corgi wolf wolves husky', '狗 犬 狼'],
  boat: ['boat sailboat ship sail* yacht', '船 帆'],
  balloon: ['balloon hot_air_balloon', '气球'],
  person: [
    'man men woman women girl boy person people travel* wander* samurai dancer astronaut hiker couple lady child children monk he she',
    '人 女孩 男孩 女子 男子 少年 少女 武士 旅行者 宇航员 孩子',
  ],
  birds: ['bird eagle seagull crane dove goose geese swallow', '鸟 鹰 海鸥 鹤 鸽 雁'],
})

const AURORA_WORDS = pattern(['aurora northern_light', '极光'])
const NEON_WORDS = pattern(['cyber* neon', '霓虹 赛博'])

/** The scene that a prompt describes. The seed determines any property that the prompt does not mention. */
export type Description = Readonly<{
  seed: number
  biome: Biome
  time: TimeOfDay
  palette: Palette
  weather: readonly Weather[]
  subject: Subject | undefined
  /** Whether the sky contains a flock of birds. */
  birds: boolean
  aurora: boolean
  neon: boolean
}>

/** Parses an English or Chinese prompt. Deterministic; the seed defaults to a hash of the prompt. */
export function parsePrompt(prompt: string, seed?: number): Description {
  const text = prompt.trim()
  const ownSeed = (seed ?? hashText(text.toLowerCase())) >>> 0
  const random = createRandom(ownSeed)
  const drawn = {
    biome: random.pick<Biome>(['mountain', 'ocean', 'field', 'forest', 'city', 'space']),
    time: random.pick<TimeOfDay>(['dawn', 'sunset', 'sunset', 'day', 'night']),
    birds: random.chance(0.6),
  }
  const subject = earliest(SUBJECT_WORDS, text)
  const biome = earliest(BIOME_WORDS, text) ?? biomeOf(subject) ?? drawn.biome
  const time = earliest(TIME_WORDS, text) ?? (biome === 'city' || biome === 'space' ? 'night' : drawn.time)
  return {
    seed: ownSeed,
    biome,
    time,
    palette: PALETTES[time],
    weather: [...WEATHER_WORDS].filter(([, words]) => words.test(text)).map(([weather]) => weather),
    subject,
    birds: subject === 'birds' || SUBJECT_WORDS.get('birds')!.test(text) || drawn.birds,
    aurora: AURORA_WORDS.test(text),
    neon: NEON_WORDS.test(text),
  }
}

/** Returns the key whose words appear first in the text, or undefined if none appear. */
function earliest<K extends string>(words: ReadonlyMap<K, RegExp>, text: string): K | undefined {
  let found: { key: K; at: number } | undefined
  for (const [key, pattern] of words) {
    const at = text.search(pattern)
    if (at >= 0 && (!found || at < found.at)) found = { key, at }
  }
  return found?.key
}

/** Returns the default biome of a subject, or undefined if it has none. */
function biomeOf(subject: Subject | undefined): Biome | undefined {
  return subject === 'cat' || subject === 'dog' || subject === 'balloon' ? 'field' : undefined
}
