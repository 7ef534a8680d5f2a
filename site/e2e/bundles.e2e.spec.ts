import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const dist = path.resolve(import.meta.dirname, '../dist/client')
const folder = path.join(dist, '_astro')
const scripts = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith('.js'))
    .map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]),
)

/** Returns the scripts that a text references, transitively. */
function reached(text: string, found = new Set<string>()): Set<string> {
  for (const [file] of text.matchAll(/[\w.@-]+\.js\b/g)) {
    const script = scripts.get(file)
    if (script === undefined || found.has(file)) continue
    found.add(file)
    reached(script, found)
  }
  return found
}

/** Returns the pages that can load a script containing `mark`. */
const pagesThatReach = (mark: string) =>
  readdirSync(dist, { recursive: true })
    .map(String)
    .filter((file) => file.endsWith('.html'))
    .filter((file) =>
      [...reached(readFileSync(path.join(dist, file), 'utf8'))].some((name) => scripts.get(name)?.includes(mark)),
    )
    .sort()

describe('the files shared by both languages', () => {
  it('contain no Chinese except contract values and the language name', () => {
    const movements = /左移|右移|左摇|右摇|推进|拉远|上升|下降|上摇|下摇|变焦推近|变焦拉远|晃动|跟随|固定/g
    // Descriptions of the shipped models, which the form shows until the server's catalogue is loaded.
    const models = /全能模型，最高 1080P|精准运镜控制|适合插画与角色/g
    const found = readdirSync(folder)
      // What the demo draws is shown by prompts of the wall, which are written in two languages. Late texts have one.
      .filter((file) => /\.(js|css)$/.test(file) && !/^(nearPrompts|zh)\./.test(file))
      .flatMap((file) => {
        const text = readFileSync(path.join(folder, file), 'utf8')
        const han =
          text
            .replace(movements, '')
            .replace(models, '')
            .match(/\p{Script=Han}+/gu) ?? []
        return han.map((words) => `${file}: ${words}`)
      })
    expect(found).toEqual([])
  })
})

/** Each file costs CPU in the browser and in the server, and on HTTP/1.1 waits for one of six connections. */
const MOST_SCRIPTS = 17

describe('the scripts', () => {
  it('of each page with islands are few', () => {
    const preloads = (file: string) =>
      readFileSync(path.join(dist, file), 'utf8').split('rel="modulepreload"').length - 1
    const pages = readdirSync(dist, { recursive: true })
      .map(String)
      .filter((file) => file.endsWith('.html'))
    expect(pages.filter((file) => preloads(file) > MOST_SCRIPTS)).toEqual([])
  })
})

describe('the chart library', () => {
  const board = ['admin/dashboard.html', 'zh/admin/dashboard.html']

  it('is loaded only by the operator’s board, as a separate script', () => {
    expect(pagesThatReach('u-cursor-x')).toEqual(board)
    const holders = [...scripts].filter(([, text]) => text.includes('u-cursor-x')).map(([name]) => name)
    expect(holders).toHaveLength(1)
    const statically = new RegExp(`(?:from|import)\\s*["']\\./${holders[0]}["']`)
    expect([...scripts].filter(([, text]) => statically.test(text))).toEqual([])
  })

  it('adds styles only to the board’s pages', () => {
    const styled = readdirSync(dist, { recursive: true })
      .map(String)
      .filter((file) => file.endsWith('.html') && readFileSync(path.join(dist, file), 'utf8').includes('.u-cursor-x'))
    expect(styled.sort()).toEqual(board)
  })
})
