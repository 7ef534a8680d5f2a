import { writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import iconChars from '@iconify-json/fluent-emoji-flat/chars.json' with { type: 'json' }
import iconSet from '@iconify-json/fluent-emoji-flat/icons.json' with { type: 'json' }
import englishData from 'emojibase-data/en/data.json' with { type: 'json' }
import groups from 'emojibase-data/meta/groups.json' with { type: 'json' }
import chineseData from 'emojibase-data/zh/data.json' with { type: 'json' }

// Cuts the icons that the demo falls back on, with their names in both languages, out of two packages (both MIT).
// Tags are no names: a lazy cat asks for no sloth. Further names are in `reading/lexicon.json`.
// Run with: node scripts/buildIcons.ts

type Emoji = { hexcode: string; label: string; subgroup?: number }
interface IconSet {
  readonly width: number
  readonly icons: Readonly<Record<string, { body: string; width?: number }>>
  readonly aliases: Readonly<Record<string, { parent: string }>>
}

const english = englishData as Emoji[]
const chinese = new Map((chineseData as Emoji[]).map((emoji) => [emoji.hexcode, emoji]))
const { subgroups } = groups as { subgroups: Record<string, string> }
const set: IconSet = iconSet
const chars: Record<string, string> = iconChars

/** The place of each group of emoji. Faces, gestures, symbols, flags and clocks are left out. */
const HOMES: Readonly<Record<string, string>> = {
  'animal-mammal': 'meadow',
  'animal-bird': 'garden',
  'animal-amphibian': 'garden',
  'animal-reptile': 'desert',
  'animal-marine': 'underwater',
  'animal-bug': 'garden',
  'plant-flower': 'garden',
  'plant-other': 'garden',
  'food-marine': 'underwater',
  ...Object.fromEntries(['fruit', 'vegetable', 'prepared', 'asian', 'sweet'].map((kind) => [`food-${kind}`, 'table'])),
  ...Object.fromEntries(
    ['drink', 'dishware', 'household', 'science', 'medical', 'game'].map((kind) => [kind, 'table']),
  ),
  ...Object.fromEntries(
    ['computer', 'phone', 'light-video', 'book-paper', 'writing', 'office', 'tool'].map((k) => [k, 'table']),
  ),
  'place-building': 'hill',
  'place-religious': 'hill',
  'place-other': 'meadow',
  'transport-ground': 'road',
  'transport-water': 'ocean',
  'transport-air': 'sky',
  'musical-instrument': 'stage',
  'arts-crafts': 'stage',
  sport: 'meadow',
  event: 'studio',
  clothing: 'clothing',
}
/** Single emoji of groups that are left out. */
const EXTRA: Readonly<Record<string, string>> = {
  ...{ ghost: 'street', tornado: 'meadow', rainbow: 'sky', moai: 'beach', 'ringed planet': 'space', radio: 'table' },
  ...{ microphone: 'stage', headphone: 'table', umbrella: 'table', key: 'table', locked: 'table', bell: 'table' },
  ...{ coin: 'table', 'money bag': 'table', trophy: 'table', 'sports medal': 'table', skull: 'table', bone: 'table' },
  ...{ 'hourglass done': 'table', watch: 'table', 'alarm clock': 'table', 'mantelpiece clock': 'table' },
  ...{
    luggage: 'table',
    compass: 'table',
    'world map': 'table',
    postbox: 'street',
    'chess pawn': 'table',
    genie: 'lane',
  },
  ...{ troll: 'forest', 'red heart': 'studio' },
}
const LEFT = /^animal-(mammal|bird|reptile|marine|bug)|^transport-(ground|water)/
const OUT =
  /face|head$|paw|button|sign$|symbol|one-|stop$|station$|light$|globe|city|night|sun|map|thread|yarn|leaf|ice$|rosette|hole$|wind$|^cooking$|^herb$|clinking|^fly$|^link$|^label$|^knot$|^seat$|^wing$|foggy|suit$|^sparkles$|^construction$|^motorway$|oncoming|^low |with arrow$|^microbe$|pouring|performing|^wedding$|^joker$|^wood$|^salt$|^mate$|^window$|^conf|^ticket$|^bookmark|^pig nose$|^black cat$|^(guide|service) dog$/

const icons: Record<string, { body: string; size: number; home: string; flips: boolean; names: [string, string] }> = {}
const names: Record<string, string> = {}
for (const { hexcode, label, subgroup = -1 } of english) {
  const group = subgroups[subgroup] ?? ''
  const home = HOMES[group] ?? EXTRA[label]
  const icon = chars[hexcode.toLowerCase().replaceAll('-fe0f', '')] ?? chars[hexcode.toLowerCase()]
  const art = icon && (set.icons[icon] ?? set.icons[set.aliases[icon]?.parent ?? ''])
  const twin = chinese.get(hexcode)
  if (!home || !art || !twin || (OUT.test(label) && !EXTRA[label])) continue
  icons[icon] = {
    body: art.body,
    size: art.width ?? set.width,
    home,
    flips: LEFT.test(group),
    names: [label, twin.label],
  }
  names[label.toLowerCase()] ??= icon
  names[twin.label] ??= icon
}
const json = JSON.stringify({ icons, names })
writeFileSync('renderer/reading/icons.json.gz', gzipSync(json, { level: 9 }))
console.log(`${Object.keys(icons).length} icons, ${Object.keys(names).length} names, ${json.length} bytes`)
