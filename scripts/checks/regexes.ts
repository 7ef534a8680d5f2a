import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { check } from 'recheck'
import ts from 'typescript'

const ROOT = path.resolve(import.meta.dirname, '../..')
const FOLDERS = ['backend', 'projections', 'workflows', 'renderer', 'site/src']
const TEST = /\.spec\.tsx?$|\/testing\//
/** Expressions that this version of the checker has found linear. Some take seconds to judge. */
const LINEAR = path.join(
  ROOT,
  `node_modules/.cache/kinora-linear-${createRequire(import.meta.url)('recheck/package.json').version}.json`,
)

/** A regular expression literal, with the file and line where it is. */
interface Literal {
  readonly place: string
  readonly literal: string
}

/** Returns the regular expression literals of a file. */
export function regexesOf(file: string, text: string): Literal[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
  const literals: Literal[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
      literals.push({ place: `${file}:${line + 1}`, literal: node.text })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return literals
}

/**
 * Describes a regular expression whose worst case is not linear in the length of the input (ReDoS); undefined if it is
 * linear. One that cannot be judged within two minutes counts as a fault, because a simpler one can be.
 */
export async function faultOf({ place, literal }: Literal): Promise<string | undefined> {
  const end = literal.lastIndexOf('/')
  const verdict = await check(literal.slice(1, end), literal.slice(end + 1), { timeout: 120_000 })
  if (verdict.status === 'safe') return undefined
  return `${place}: ${literal} is ${verdict.status === 'unknown' ? 'too complex to judge' : verdict.complexity.summary}`
}

/** Checks the served code, prints the faults, and returns the exit code. */
async function main(): Promise<number> {
  const listed = execFileSync('git', ['ls-files', '-z', '--', ...FOLDERS], { cwd: ROOT, encoding: 'utf8' })
  const files = listed.split('\0').filter((file) => /\.tsx?$/.test(file) && !TEST.test(file))
  const found = files.flatMap((file) => regexesOf(file, readFileSync(path.join(ROOT, file), 'utf8')))
  const linear = readLinear()
  let faults = 0
  // One at a time: the checker counts the wait for its turn towards the time limit.
  for (const one of found) {
    if (linear.has(one.literal)) continue
    const fault = await faultOf(one)
    if (fault === undefined) {
      linear.add(one.literal)
      continue
    }
    console.log(fault)
    faults += 1
  }
  mkdirSync(path.dirname(LINEAR), { recursive: true })
  writeFileSync(LINEAR, JSON.stringify([...linear]))
  return faults > 0 ? 1 : 0
}

function readLinear(): Set<string> {
  try {
    return new Set(JSON.parse(readFileSync(LINEAR, 'utf8')))
  } catch {
    return new Set()
  }
}

if (import.meta.main) process.exit(await main())
