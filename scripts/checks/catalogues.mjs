import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ROOT } from '../run.mjs'

/** Brand, model, unit and format names, which are the same in every language. */
const NAMES = new Set(
  `Kinora AI MiniMax Hailuo T2V I2V S2V Director live PayPal Stripe GitHub Google Apple Mozilla Microsoft Chrome Safari Firefox Edge Cookie Cookies
  JPG JPEG PNG WebP HEIC MP4 CSV PDF URL FAQ API HTTP HTTPS IP ID UUID USD CNY RMB UTC GB MB KB px fps K P W Hz Plus Pro Ultimate
  Markdown Docker Compose npm Node js Ctrl C Temporal EventStoreDB Prometheus ComfyUI vLLM Omni SGLang LocalAI fal Replicate
  Runway JavaScript LLM GDPR CCPA TLS SMTP S3 Webhook MIT C2PA AIGC OpenAI curl Python SDK n8n LobeHub LiteLLM Open WebUI Base By OpenAPI Postman nginx
  Claude Code ChatGPT VS Cursor Model Context Protocol MCP Client Tool Agent OAuth OAuth2 PKCE Streamable Bearer Auth XMP JSON SHA`.split(
    /\s+/,
  ),
)
/** Keys of language names, each of which is written in its own language. */
const LANGUAGE_NAMES = /^language\./
const HAN = /\p{Script=Han}/u
const PLURAL = /_(zero|one|two|few|many|other)$/
/** A counted English plural, such as `{{count}} credits`. */
const COUNTED = /\{\{count\}\} [a-z]{2,}s\b/

/** Checks that both languages have the same files, keys and placeholders, and no words in the other language. */
export function catalogueFaults(content = path.join(ROOT, 'content')) {
  const en = filesUnder(path.join(content, 'en'))
  const zh = filesUnder(path.join(content, 'zh'))
  const faults = [...without(en, zh, 'zh'), ...without(zh, en, 'en')]
  for (const file of en.filter((name) => zh.includes(name))) {
    const read = (language) => readFileSync(path.join(content, language, file), 'utf8')
    const found = file.endsWith('.json')
      ? jsonFaults(JSON.parse(read('en')), JSON.parse(read('zh')))
      : markdownFaults(read('en'), read('zh'))
    faults.push(...found.map((fault) => `${file}: ${fault}`))
  }
  return faults
}

const without = (some, others, language) =>
  some.filter((file) => !others.includes(file)).map((file) => `${file}: is missing in ${language}`)

function jsonFaults(english, chinese) {
  const en = new Map(texts(english))
  const zh = new Map(texts(chinese))
  const enKeys = new Set([...en.keys()].map(withoutPlural))
  const zhKeys = new Set([...zh.keys()].map(withoutPlural))
  const faults = [...without([...enKeys], [...zhKeys], 'zh'), ...without([...zhKeys], [...enKeys], 'en')]
  for (const [key, text] of en) {
    const other = zh.get(key) ?? zh.get(`${withoutPlural(key)}_other`)
    if (COUNTED.test(text) && !PLURAL.test(key)) faults.push(`${key}: has no singular form`)
    if (HAN.test(text) && !LANGUAGE_NAMES.test(key)) faults.push(`${key}: Chinese in English: ${text}`)
    // A singular form may omit the number.
    if (other === undefined || key.endsWith('_one')) continue
    if (placeholders(text) !== placeholders(other)) faults.push(`${key}: the placeholders differ`)
  }
  for (const [key, text] of zh) if (!LANGUAGE_NAMES.test(key)) faults.push(...textFaults(key, '', text))
  return faults
}

function textFaults(key, english, chinese) {
  const faults = HAN.test(english) ? [`${key}: Chinese in English`] : []
  const words = new Set(latinWords(chinese).filter((word) => !isName(word)))
  if (words.size > 0) faults.push(`${key}: English in Chinese: ${[...words].join(', ')}`)
  return faults
}

/** Front matter fields that are not translated. Only the English file has them. */
const FACTS = new Set(['category', 'priority', 'updated', 'only'])

function markdownFaults(english, chinese) {
  const [en, zh] = [frontMatter(english), frontMatter(chinese)]
  const keys = [...en.keys()].filter((key) => !FACTS.has(key))
  const faults = [...without(keys, [...zh.keys()], 'zh'), ...without([...zh.keys()], keys, 'en')]
  for (const key of keys) faults.push(...textFaults(key, en.get(key), zh.get(key) ?? ''))
  if (outline(english) !== outline(chinese)) faults.push('text: the headings or lists differ')
  return [...faults, ...textFaults('text', prose(english), prose(chinese))]
}

const frontMatter = (text) =>
  new Map(
    [...(/^---\n(.*?)\n---\n/s.exec(text)?.[1] ?? '').matchAll(/^(\w+): *(.*)$/gm)].map(([, key, value]) => [
      key,
      value,
    ]),
  )

/** Returns the Markdown markers of headings, lists, quotes and tables in order. They must match in all translations. */
const outline = (text) => [...text.matchAll(/^(#+|-|\d+\.|>|\|)(?= )/gm)].map(([, mark]) => mark).join(' ')

const isName = (word) => word.split('-').every((part) => NAMES.has(part) || /^\d*$/.test(part))
const withoutPlural = (key) => key.replace(PLURAL, '')
const placeholders = (text) => [...new Set(text.match(/\{\{[^}]*\}\}/g))].sort().join()

/** Returns the words in Latin script, ignoring addresses, placeholders, tags, and sizes such as 1080P or 20MB. */
function latinWords(text) {
  const bare = text.replace(
    /\{\{[^}]*\}\}|<[^>]*>|https?:\S+|\S+@\S+|\/[\w/{}-]+|\d+(?:P|K|MB|GB|KB|px|fps|s)\b|\b[A-Za-z]+_[A-Za-z_]+/g,
    ' ',
  )
  return bare.match(/[A-Za-z][A-Za-z0-9-]*/g) ?? []
}

/** Removes front matter, code and link targets from Markdown. */
const prose = (text) =>
  text
    .replace(/^---\n.*?\n---\n/s, '')
    .replace(/^```.*?^```/gms, ' ')
    .replace(/`[^`]*`|\]\([^)]*\)/g, ' ')

/** Lists the texts of a catalogue with their dotted keys. */
function texts(value, key = '') {
  if (typeof value === 'string') return [[key, value]]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([name, inner]) => texts(inner, key ? `${key}.${name}` : name))
}

function filesUnder(folder) {
  if (!existsSync(folder)) return []
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return entries.map((entry) => path.relative(folder, path.join(entry.parentPath ?? entry.path, entry.name))).sort()
}
