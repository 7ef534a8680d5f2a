import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../..')
const SITE = path.join(ROOT, 'site/src')
/** Each page loads the first file; a feature can have its own. */
const TOKENS = /(^|\/)tokens\.css$/
/** Files outside the site that name its classes: the keys of movements, and the library of the charts. */
const OTHERS = ['backend/tasks/contract.ts', 'node_modules/uplot/dist/uPlot.min.css']

const COLOUR =
  /#[\da-f]{3,8}\b|\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\((?!var\()[^)]*\)?|(?<![\w-])(?:black|white)(?![\w-])/gi
const LITERAL = /'([^'\n]*)'|"([^"\n]*)"|`([^`]*)`/g
const DYNAMIC = /([a-z][\w-]*-)\$\{/g

interface Styles {
  /** Style sheets by file name. */
  readonly css: Readonly<Record<string, string>>
  /** Texts that can name a class. */
  readonly sources: readonly string[]
}

const blank = (text: string) => text.replace(/[^\n]/g, ' ')
/** Removes comments, quoted texts and addresses, and keeps the line numbers. */
const bare = (css: string) => css.replace(/\/\*[\s\S]*?\*\/|"[^"\n]*"|url\([^)]*\)/g, blank)
const lineOf = (text: string, index: number) => text.slice(0, index).split('\n').length
/** Returns the heads of rules, with the index of each. */
const heads = (css: string) => [...css.matchAll(/(?<=[{};]|^)[^{};]+(?=\{)/g)].filter(([head]) => !/^\s*@/.test(head))

/** Returns the words of all quoted texts, and the constant beginnings of classes such as `board-${name}`. */
function namesIn(sources: readonly string[]) {
  const words = new Set<string>()
  const beginnings = new Set<string>()
  for (const source of sources) {
    for (const [, single, double, template] of source.matchAll(LITERAL))
      for (const word of (single ?? double ?? template ?? '').split(/[^\w-]+/)) words.add(word)
    for (const [, beginning] of source.matchAll(DYNAMIC)) beginnings.add(beginning!)
    for (const [, name] of source.matchAll(/\.(u-[\w-]+)/g)) words.add(name!)
    for (const [, size] of source.matchAll(/\b(\d+)\b/g)) words.add(size!)
  }
  return { words, beginnings }
}

/**
 * Lists colours and layers of pages that are no tokens, classes that no file names, and tokens that no style sheet uses.
 * From -2 to 2, a layer is the order within its parent.
 */
function styleFaults({ css, sources }: Styles): string[] {
  const { words, beginnings } = namesIn(sources)
  const isNamed = (name: string) =>
    words.has(name) ||
    [...beginnings].some((beginning) => name.startsWith(beginning) && words.has(name.slice(beginning.length)))
  const faults = Object.entries(css).flatMap(([file, text]) => {
    const rules = bare(text)
    const at = (index: number, fault: string) => `${file}:${lineOf(rules, index)} ${fault}`
    const values = [...rules.matchAll(/(?<=[\w-]):([^;{}]*);/g)]
    const colours = values.flatMap(({ index, 1: value }) =>
      [...value!.matchAll(COLOUR)].map(([colour]) => at(index, `the colour ${colour} is no token`)),
    )
    const layers = [...rules.matchAll(/z-index:(?!\s*(?:var\(--layer-|-?[0-2];))[^;]*/g)].map(({ 0: layer, index }) =>
      at(index, `${layer} is no token`),
    )
    const classes = heads(rules).flatMap(({ 0: head, index }) =>
      [...head.matchAll(/\.([a-z][\w-]*)/gi)]
        .filter(([, name]) => !isNamed(name!))
        .map(([name]) => at(index + head.length, `${name} is used nowhere`)),
    )
    return [...(TOKENS.test(file) ? [] : [...colours, ...layers]), ...classes]
  })
  const everywhere = [...Object.values(css), ...sources].join('\n')
  const unused = Object.entries(css)
    .filter(([file]) => TOKENS.test(file))
    .flatMap(([file, text]) => [...new Set(text.match(/(?<=\s)--[\w-]+(?=:)/g))].map((token) => ({ file, token })))
    .filter(({ token }) => !everywhere.includes(`var(${token}`))
  return [...faults, ...unused.map(({ file, token }) => `${file} ${token} is used nowhere`)]
}

const filesOf = (pattern: RegExp) =>
  readdirSync(SITE, { recursive: true, encoding: 'utf8' }).filter((file) => pattern.test(file))
const read = (file: string) => readFileSync(file, 'utf8')

it('has every colour and layer of the site in the tokens, and no class or token that is unused', () => {
  const css = Object.fromEntries(filesOf(/\.css$/).map((file) => [file, read(path.join(SITE, file))]))
  const scripts = filesOf(/(?<!\.spec)\.(tsx?|js|astro)$/).map((file) => read(path.join(SITE, file)))
  const sources = [...scripts, ...OTHERS.map((file) => read(path.join(ROOT, file)))]
  expect(Object.keys(css).length).toBeGreaterThan(30)
  expect(styleFaults({ css, sources })).toEqual([])
})

it.each([
  ['a hexadecimal colour', '.a {\n  color: #fa0;\n}', 'a.css:2 the colour #fa0 is no token'],
  ['a colour function', '.a {\n  color: rgb(1 2 3 / 0.5);\n}', 'a.css:2 the colour rgb(1 2 3 / 0.5) is no token'],
  ['a named colour', '.a {\n  border: 1px solid white;\n}', 'a.css:2 the colour white is no token'],
  ['a colour in a nested rule', '.a {\n  &:hover {\n    color: #000;\n  }\n}', 'a.css:3 the colour #000 is no token'],
  ['a layer', '.a {\n  z-index: 3;\n}', 'a.css:2 z-index: 3 is no token'],
  ['a class that no file names', '.a .gone {\n  margin: 0;\n}', 'a.css:1 .gone is used nowhere'],
  ['a nested class that no file names', '.a {\n  .gone {\n    margin: 0;\n  }\n}', 'a.css:2 .gone is used nowhere'],
  ['a class that a comment names', '.note {\n  margin: 0;\n}', 'a.css:1 .note is used nowhere'],
  ['an unknown end of a dynamic class', '.tone-red {\n  margin: 0;\n}', 'a.css:1 .tone-red is used nowhere'],
])('reports %s', (_, text, fault) => {
  const sources = ['<p class="a">{tone}</p> // note\nconst tone = `tone-\u0024{name}`; name = "info"']
  expect(styleFaults({ css: { 'a.css': text }, sources })).toEqual([fault])
})

it('accepts tokens with an opacity, system colours, local layers and dynamic classes', () => {
  const text = `/* See #fa0. */
.a,
.tone-info {
  color: rgb(var(--white) / 0.5);
  background: CanvasText url("#fff.svg");
  z-index: var(--layer-bar);
  &::before {
    z-index: -1;
  }
}`
  const sources = ['<p class="a"></p> const tone = `tone-\u0024{name}`; name = "info"']
  expect(styleFaults({ css: { 'a.css': text }, sources })).toEqual([])
})

it('reports a token that no style sheet uses', () => {
  const css = {
    'ui/tokens.css': ':root {\n  --white: 255 255 255;\n  --old: #fff;\n}',
    'a.css': '.a {\n  color: rgb(var(--white));\n}',
  }
  expect(styleFaults({ css, sources: ['"a"'] })).toEqual(['ui/tokens.css --old is used nowhere'])
})
