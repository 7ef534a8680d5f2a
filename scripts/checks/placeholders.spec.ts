import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../..')
const SQL = /^\s*(select|insert|update|delete|with|where|id (=|in|>))\b|\b(values|where|limit)\b[^a-z]*[?:]/
/** `?`, and `:name` but not a cast. Quoted texts are no placeholders. */
const OTHER = /\?|(?<![:\w]):[a-zA-Z]/
/** The files through which all statements go. */
const DOORS = ['backend/kernel/postgres/query.ts', 'backend/kernel/postgres/transaction.ts']

/** Returns `file:line reason` of each SQL with other placeholders than `$1`, and of each call of the ORM's own. */
function otherPlaceholders(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const report = (node: ts.Node, reason: string) =>
    found.push(`${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1} ${reason}`)
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) {
      const parts = ts.isTemplateExpression(node)
        ? [node.head, ...node.templateSpans.map((span) => span.literal)]
        : [node]
      const sql = parts.map((part) => part.text).join(' ')
      if (SQL.test(sql) && OTHER.test(sql.replace(/'[^']*'/g, ''))) report(node, 'placeholders')
    }
    if (ts.isCallExpression(node) && /\b(em|tx|fork\(\))\s*\.execute$/.test(node.expression.getText(source)))
      report(node, 'execute')
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

it.each([
  ['the ORM', "query(tx, 'delete from session where id = ?', [id])", 'placeholders'],
  ['names', 'query(database, `select id from invoice where sale_id = :saleId`, { saleId })', 'placeholders'],
  [
    'names in a template',
    ['query(database, `select id from $', '{table} where id = :id`, { id })'].join(''),
    'placeholders',
  ],
  ['a fragment', "const where = 'where id = ?'", 'placeholders'],
  ['a call of the ORM', 'database.em.fork().execute(sql, [id])', 'execute'],
])('finds the placeholders of %s', (_, code, reason) => {
  expect(otherPlaceholders('a.ts', code)).toEqual([`a.ts:1 ${reason}`])
})

it('allows numbered placeholders, casts and quoted texts', () => {
  const code = '[`select id from t where id = $1::uuid`, "select \'a? :c\' as d"]'
  expect(otherPlaceholders('a.ts', code)).toEqual([])
})

it('has one style of placeholders: $1', () => {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts'], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((file) => /^(backend|projections|workflows)\//.test(file) && !/\.spec\.ts$|\/testing\//.test(file))
    .filter((file) => !DOORS.includes(file))
  expect(files.length).toBeGreaterThan(500)
  expect(files.flatMap((file) => otherPlaceholders(file, readFileSync(path.join(ROOT, file), 'utf8')))).toEqual([])
})
