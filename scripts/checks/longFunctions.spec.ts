import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const ROOT = path.resolve(import.meta.dirname, '../..')
const LIMIT = 70

/** Returns `file:line name lines` of each function that has more lines than the limit. */
function longFunctions(file: string, text: string): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const lineOf = (at: number) => source.getLineAndCharacterOfPosition(at).line + 1
      const start = lineOf(node.getStart(source))
      const lines = lineOf(node.end) - start + 1
      const name = node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined)
      if (lines > LIMIT) found.push(`${file}:${start} ${name?.getText(source) ?? '(anonymous)'} ${lines}`)
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

it('finds a function that is too long, whatever its form', () => {
  const body = (lines: number) => `{${'\n  f()'.repeat(lines - 2)}\n}`
  const forms = [(code: string) => `function a() ${code}`, (code: string) => `const a = () => ${code}`]
  for (const form of [...forms, (code: string) => `class B { a() ${code} }`]) {
    expect(longFunctions('a.ts', form(body(LIMIT)))).toEqual([])
    expect(longFunctions('a.ts', form(body(LIMIT + 1)))).toEqual([`a.ts:1 a ${LIMIT + 1}`])
  }
})

it(`has no function of more than ${LIMIT} lines`, () => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs'], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((file) => !/\.spec\.tsx?$|\/testing\/|^proof\//.test(file))
  const found = files.flatMap((file) => longFunctions(file, readFileSync(path.join(ROOT, file), 'utf8')))
  expect(found).toEqual([])
})
