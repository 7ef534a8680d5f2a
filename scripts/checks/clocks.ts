import ts from 'typescript'

/** Limit of a test and of a hook in vitest.config.ts, ms. A shorter one ends a test that is only slow. */
const TEST_LIMIT_MS = 300_000
const TESTS = /^(?:it|test|describe|(?:before|after)(?:All|Each))\b/
const READS = /^(?:performance\.now|process\.(?:hrtime(?:\.bigint)?|(?:threadC|c)puUsage)|\w+\.within)$/
const SLEEPS = ['setTimeout', 'setInterval']
const LIMITS = new Set(['vi.waitFor', 'vi.waitUntil', 'AbortSignal.timeout'])

export type ClockUse = 'reads the clock' | 'sleeps' | 'limits a wait'

/** Returns how a spec depends on the speed of the machine, each with its line. */
export function clockUses(file: string, text: string): { use: ClockUse; place: string }[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const uses: { use: ClockUse; place: string }[] = []
  // Tests move such timers themselves.
  const sleeps = new Set(text.includes('vi.useFakeTimers(') ? [] : SLEEPS)
  const add = (use: ClockUse, node: ts.Node) => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
    uses.push({ use, place: `${file}:${line + 1}: ${node.getText(source).split('\n')[0]}` })
  }
  const textOf = (node: ts.Node) => node.getText(source).replaceAll(/\s/g, '')
  const isNow = (node: ts.Node) => textOf(node) === 'Date.now()'

  const visitCall = (node: ts.CallExpression) => {
    const called = textOf(node.expression)
    if (READS.test(called)) add('reads the clock', node)
    if (sleeps.has(called)) add('sleeps', node)
    const isShortPoll = called.endsWith('.poll') && /timeout|^\w+$/.test(node.arguments[1]?.getText() ?? '')
    const isShortTest = TESTS.test(called) && node.arguments.some((argument) => limitOf(argument) <= TEST_LIMIT_MS)
    if (LIMITS.has(called) || isShortPoll || isShortTest) add('limits a wait', node)
  }

  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && textOf(node.moduleSpecifier) === "'node:timers/promises'")
      for (const name of importedAs(node, 'setTimeout')) sleeps.add(name)
    if (ts.isCallExpression(node)) visitCall(node)
    if (ts.isBinaryExpression(node) && isComparison(node, isNow, textOf)) add('reads the clock', node)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return uses
}

/** Returns the limit that an argument of a test sets, ms; Infinity if it sets none. */
function limitOf(argument: ts.Node): number {
  if (ts.isNumericLiteral(argument)) return Number(argument.text)
  if (!ts.isObjectLiteralExpression(argument)) return Number.POSITIVE_INFINITY
  const timeout = argument.properties.find((each) => each.name?.getText() === 'timeout')
  return timeout && ts.isPropertyAssignment(timeout) ? limitOf(timeout.initializer) : Number.POSITIVE_INFINITY
}

function importedAs({ importClause }: ts.ImportDeclaration, name: string): string[] {
  const bindings = importClause?.namedBindings
  if (!bindings || !ts.isNamedImports(bindings)) return []
  return bindings.elements
    .filter((each) => (each.propertyName ?? each.name).text === name)
    .map((each) => each.name.text)
}

/** Returns whether `Date.now()` is compared with an earlier time. A difference to a constant is another time. */
function isComparison(
  { left, right, operatorToken }: ts.BinaryExpression,
  isNow: (node: ts.Node) => boolean,
  textOf: (node: ts.Node) => string,
): boolean {
  switch (operatorToken.kind) {
    case ts.SyntaxKind.MinusToken:
      return isNow(left) && /[a-z]/.test(textOf(right))
    case ts.SyntaxKind.LessThanToken:
    case ts.SyntaxKind.LessThanEqualsToken:
    case ts.SyntaxKind.GreaterThanToken:
    case ts.SyntaxKind.GreaterThanEqualsToken:
      return isNow(left) || isNow(right)
    default:
      return false
  }
}
