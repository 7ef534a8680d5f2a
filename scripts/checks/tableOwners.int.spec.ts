import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { startTemporaryDatabase } from '#backend/testing/temporaryDatabase.ts'

const ROOT = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8')

/** Tables by the folder whose code may name them in SQL. */
const OWNERS: Record<string, string[]> = JSON.parse(read('scripts/checks/tableOwners.json'))
const OWNER_OF = new Map(Object.entries(OWNERS).flatMap(([folder, tables]) => tables.map((table) => [table, folder])))

/** Files that may name every table: tests, migrations, and the backup, which handles whole databases. */
const EXEMPT = /\.spec\.|\/testing\/|^site\/e2e\/|\/migrations\/|^proof\/|^backend\/programs\/recovery\//
const SQL =
  /\b(?:from|join|into|update|(?:create|alter|drop|lock|truncate) table|truncate|analyze|references|exists|only)\s+((?:"?[a-z_]+"?(?:\s+(?:as\s+)?[a-z]+)?\s*,\s*)*"?[a-z_]+"?)/gi
/** Table names that code passes to SQL or to an entity as a literal. Names of one word are words of other languages, too. */
const LITERAL = /['"`]([a-z]+(?:_[a-z]+)+)['"`]/g

const withoutComments = (text: string) =>
  text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, (comment) => comment.replace(/[^\n]/g, ' '))

interface Reference {
  readonly table: string
  readonly line: number
}

/** Returns the tables that SQL in a source file names. */
function tablesIn(source: string): Reference[] {
  const text = withoutComments(source)
  const found: Reference[] = []
  const add = (name: string, at: number) => {
    if (OWNER_OF.has(name)) found.push({ table: name, line: text.slice(0, at).split('\n').length })
  }
  for (const match of text.matchAll(SQL))
    for (const item of match[1]!.split(',')) add(item.trim().split(/\s/)[0]!.replaceAll('"', ''), match.index)
  // Elsewhere, such a literal is an event type or a field.
  if (/\b(?:execute|query|addSql|tableName)\b/.test(text))
    for (const match of text.matchAll(LITERAL)) add(match[1]!, match.index)
  return found
}

/** Returns `file:line names table, which owner owns` for each table of another owner. */
const violations = (file: string, source: string): string[] =>
  tablesIn(source)
    .filter(({ table }) => !file.startsWith(`${OWNER_OF.get(table)}/`))
    .map(({ table, line }) => `${file}:${line} names ${table}, which ${OWNER_OF.get(table)} owns`)

describe('table owners', () => {
  it('own every table of the schema, and no other', async () => {
    const db = await startTemporaryDatabase()
    const { rows } = await db.pool.query<{ name: string }>(
      `select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
         and relnamespace = 'public'::regnamespace and relname !~ '^mikro_orm'`,
    )
    await db.close()
    expect([...OWNER_OF.keys()].sort()).toEqual(rows.map(({ name }) => name).sort())
    expect(OWNER_OF.size).toBe(Object.values(OWNERS).flat().length)
  })

  it('are the only ones to name their tables in SQL', () => {
    const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx', '*.sql', '*.mjs'], {
      cwd: ROOT,
      encoding: 'utf8',
      maxBuffer: 1 << 24,
    })
    const scanned = files.split('\n').filter((file) => file !== '' && !EXEMPT.test(file))
    expect(scanned.length).toBeGreaterThan(300)
    expect(scanned.flatMap((file) => violations(file, read(file)))).toEqual([])
  })

  it.each([
    ['a query', 'pool.query(`select 1 from video_task where id = $1`)', 'video_task'],
    ['a join', 'pool.query(`select 1 from session s join "user_account" u using (id)`)', 'user_account'],
    ['a list', "client.query('lock table day_visitor, video_task in share mode')", 'video_task'],
    ['a loop', "for (const table of ['circuit', 'traffic_day']) pool.query('delete from ' + table)", 'traffic_day'],
    ['an entity', "defineEntity({ tableName: 'outgoing_mail' })", 'outgoing_mail'],
    ['a foreign key', "pool.query('create table x (id uuid references user_key)')", 'user_key'],
  ])('are violated by %s in the code of another owner', (_, source, table) => {
    expect(violations('backend/credits/planted.ts', source).join()).toContain(`planted.ts:1 names ${table}, which`)
    expect(violations(`${OWNER_OF.get(table)}/planted.ts`, source).join()).not.toContain(`names ${table},`)
  })

  it('may name tables in comments and imports', () => {
    expect(
      violations('backend/credits/planted.ts', "// from event\nimport x from './event.ts'\n/* into session */"),
    ).toEqual([])
  })
})
