import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from './run.mjs'

// Prints a random sample of source comments to review against docs/STYLE.md. The same seed prints the same sample.
const usage = 'Usage: node scripts/sampleComments.mjs [--seed <number>] [--count <number>]'

const SOURCE = /\.(ts|tsx|astro|mjs|js|css|sql|py|sh|ya?ml)$|(^|\/)(Dockerfile|\.env\.example)$/
const TEST = /\.spec\.tsx?$|(^|\/)(testing|e2e)\//
const HASHED = /\.(py|sh|ya?ml)$|(^|\/)(Dockerfile|\.env\.example)$/
/** A block comment, a run of line comments that follow white space, or a literal, whose content is not a comment. */
const COMMENT_OR_LITERAL = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/ .*(?:\n\s*\/\/ .*)*|(['"`])(?:\\.|(?!\1)[^\\\n])*\1/gm
const HASH_COMMENT = /^\s*# .*(?:\n\s*# .*)*/gm
const DIRECTIVE = /^(biome-ignore|@ts-|@type|@jsx|@__PURE__|syntax=)/

function commentsIn(file) {
  const source = readFileSync(path.join(ROOT, file), 'utf8')
  return [...source.matchAll(HASHED.test(file) ? HASH_COMMENT : COMMENT_OR_LITERAL)]
    .filter(([, quote]) => !quote)
    .map(({ 0: comment, index }) => ({
      place: `${file}:${source.slice(0, index + comment.search(/\S/)).split('\n').length}`,
      text: comment
        .replace(/^\s*(\/\*\*?|\*\/|\*|\/\/|#)|\*\/$/gm, '')
        .replace(/\s+/g, ' ')
        .trim(),
    }))
    .filter(({ text }) => text && !DIRECTIVE.test(text))
}

/** Returns a generator of pseudorandom numbers from 0 to 1, exclusive (mulberry32). */
function generator(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const { values } = parseArgs({ options: { seed: { type: 'string' }, count: { type: 'string' } } })
const seed = Number(values.seed ?? 1)
const count = Number(values.count ?? 100)
if (!Number.isInteger(seed) || !Number.isInteger(count)) {
  console.error(usage)
  process.exit(2)
}
const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 26 }).split('\n')
const comments = files.filter((file) => SOURCE.test(file) && !TEST.test(file)).flatMap(commentsIn)
const random = generator(seed)
const sample = comments
  .map((comment) => ({ ...comment, order: random() }))
  .sort((one, other) => one.order - other.order)
  .slice(0, count)
for (const { place, text } of sample) console.log(`${place}\n  ${text}`)
console.log(`${sample.length} of ${comments.length} comments, seed ${seed}`)
