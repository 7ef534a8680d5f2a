import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

// `node scripts/docPages.ts --write` fills the generated parts of docs/decisions.md and docs/architecture.md. docPages.spec.ts
// fails when the list of decisions is out of date, or the size map by more than 15 %.

const ROOT = path.resolve(import.meta.dirname, '..')
const RECORDS = 'docs/decisions'
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

export interface Room {
  readonly room: string
  /** Lines without those of tests. */
  readonly code: number
  readonly tests: number
}

/** Rooms of the size map, as prefixes of paths. The first one that matches counts a file. */
const ROOMS = [
  ...['accounts', 'credits', 'subscriptions', 'tasks', 'operators', 'analytics'].map((name) => `backend/${name}/`),
  ...['audit', 'backups', 'providers', 'kernel', 'app', 'programs', 'testing'].map((name) => `backend/${name}/`),
  ...['projections/', 'workflows/', 'renderer/', 'site/', 'proof/', 'scripts/'],
]

const isTest = (file: string) => /\.spec\.tsx?$|(^|\/)(testing|e2e)\//.test(file)

/** Counts the lines of every room, comments and blank lines included. */
export function measureRooms(): Room[] {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: ROOT, encoding: 'utf8' })
  const sources = files
    .split('\n')
    .filter((file) => /\.(tsx?|mjs|astro|css|sh)$/.test(file) && existsSync(path.join(ROOT, file)))
  const sizes = new Map(ROOMS.map((room) => [room, { room, code: 0, tests: 0 }]))
  for (const file of sources) {
    const room = sizes.get(ROOMS.find((prefix) => file.startsWith(prefix)) ?? '')
    if (room) room[isTest(file) ? 'tests' : 'code'] += read(file).split('\n').length - 1
  }
  return [...sizes.values()]
}

/** Returns the records of decisions, each with its number, title and file name. */
export const records = () =>
  readdirSync(path.join(ROOT, RECORDS))
    .sort()
    .map((file) => {
      const [, number = '', title = ''] = /^# (\d+)\. (.+)$/m.exec(read(`${RECORDS}/${file}`)) ?? []
      return { file, number: Number(number), title }
    })

const decisionList = () =>
  records()
    .map(({ file, number, title }) => `- [${number}. ${title}](decisions/${file})`)
    .join('\n')

/** Rounds to hundreds, and to thousands from ten thousand on. */
function rounded(lines: number): string {
  const step = lines < 10_000 ? 100 : 1_000
  return (Math.round(lines / step) * step).toLocaleString('en')
}

function sizeMap(rooms: readonly Room[]): string {
  const sum = (of: 'code' | 'tests') => rooms.reduce((lines, room) => lines + room[of], 0)
  const all = [...rooms, { room: 'all', code: sum('code'), tests: sum('tests') }]
  const rows = all.map(({ room, code, tests }) => [
    room === 'all' ? room : `\`${room}\``,
    rounded(code),
    rounded(tests),
  ])
  const widths = [0, 1, 2].map((at) =>
    Math.max(...[['Room', 'Code', 'Tests'], ...rows].map((row) => row[at]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(' | ')} |`
  const rule = `| ${widths.map((width, at) => (at === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [line(['Room', 'Code', 'Tests']), rule, ...rows.map(line)].join('\n')
}

/** Replaces the generated part of a page that has the name. */
function fill(page: string, name: string, content: string): string {
  const [start, end] = [`<!-- ${name}: written by \`node scripts/docPages.ts --write\` -->`, `<!-- end of ${name} -->`]
  const [before, rest] = page.split(start)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`the page has no part ${name}`)
  return `${before}${start}\n\n${content}\n\n${end}${after}`
}

/** Returns docs/decisions.md with the list of its records. */
export const decisionsPage = (): string => fill(read('docs/decisions.md'), 'records', decisionList())

/** Returns docs/architecture.md with the sizes of the rooms. */
export const architecturePage = (): string => fill(read('docs/architecture.md'), 'sizes', sizeMap(measureRooms()))

/** Returns the rooms that docs/architecture.md shows. */
export const shownRooms = (): Room[] =>
  [...read('docs/architecture.md').matchAll(/^\| `([\w/]+\/)` *\| +([\d,]+) \| +([\d,]+) \|$/gm)].map(
    ([, room = '', code = '', tests = '']) => ({
      room,
      code: Number(code.replaceAll(',', '')),
      tests: Number(tests.replaceAll(',', '')),
    }),
  )

if (import.meta.main && process.argv.includes('--write')) {
  writeFileSync(path.join(ROOT, 'docs/decisions.md'), decisionsPage())
  writeFileSync(path.join(ROOT, 'docs/architecture.md'), architecturePage())
}
