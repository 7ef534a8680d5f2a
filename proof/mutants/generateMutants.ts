import ts from 'typescript'

/** One small fault in a source text: the characters from `start` to `end` become `replacement`. */
export interface Mutant {
  readonly file: string
  readonly line: number
  readonly start: number
  readonly end: number
  readonly replacement: string
}

type Change = readonly [node: ts.Node, replacement: string]

const K = ts.SyntaxKind

const OPERATORS: Partial<Record<ts.SyntaxKind, readonly string[]>> = {
  [K.LessThanToken]: ['<=', '>='],
  [K.LessThanEqualsToken]: ['<', '>'],
  [K.GreaterThanToken]: ['>=', '<='],
  [K.GreaterThanEqualsToken]: ['>', '<'],
  [K.EqualsEqualsEqualsToken]: ['!=='],
  [K.ExclamationEqualsEqualsToken]: ['==='],
  [K.PlusToken]: ['-'],
  [K.MinusToken]: ['+'],
  [K.AsteriskToken]: ['/'],
  [K.SlashToken]: ['*'],
  [K.PercentToken]: ['*'],
  [K.AsteriskAsteriskToken]: ['*'],
  [K.PlusEqualsToken]: ['-='],
  [K.MinusEqualsToken]: ['+='],
}

const COMPARISONS: ReadonlySet<ts.SyntaxKind> = new Set([
  K.LessThanToken,
  K.LessThanEqualsToken,
  K.GreaterThanToken,
  K.GreaterThanEqualsToken,
  K.EqualsEqualsEqualsToken,
  K.ExclamationEqualsEqualsToken,
  K.InKeyword,
  K.InstanceOfKeyword,
])
const ALTERNATIVES: ReadonlySet<ts.SyntaxKind> = new Set([K.AmpersandAmpersandToken, K.BarBarToken])

/** Calls of methods that select or order: each is replaced by another method, or by its receiver (''). */
const METHODS: Readonly<Record<string, string>> = {
  filter: '',
  toSorted: '',
  slice: '',
  some: 'every',
  every: 'some',
  findLast: 'find',
  min: 'max',
  max: 'min',
  floor: 'ceil',
}

/**
 * Returns the mutants of a TypeScript source, or of the function `within` it that has this name. Types are not mutated.
 * Neither are sentences, because specs assert codes and facts and not wording.
 */
export function generateMutants(file: string, text: string, within?: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const mutants = new Map<string, Mutant>()
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isTypeAliasDeclaration(node)) return
    if (ts.isInterfaceDeclaration(node) || isEstimate(node)) return
    for (const [changed, replacement] of changesOf(node)) {
      const [start, end] = [changed.getStart(), changed.getEnd()]
      const line = source.getLineAndCharacterOfPosition(start).line + 1
      const mutant = { file, line, start, end: end + separatorAfter(changed, replacement, text), replacement }
      if (isValid(file, mutate(text, mutant))) mutants.set(`${start} ${end} ${replacement}`, mutant)
    }
    ts.forEachChild(node, visit)
  }
  visit(within ? findFunction(source, within) : source)
  return [...mutants.values()]
}

/** Returns whether a node estimates memory. A wrong estimate changes no outcome. */
const isEstimate = (node: ts.Node): boolean => ts.isPropertyAssignment(node) && node.name.getText() === 'weight'

function findFunction(source: ts.SourceFile, name: string): ts.Node {
  const find = (node: ts.Node): ts.Node | undefined =>
    ts.isFunctionLike(node) && node.name?.getText() === name ? node : ts.forEachChild(node, find)
  const found = find(source)
  if (!found) throw new Error(`${source.fileName} has no function ${name}`)
  return found
}

/** Returns the mutated source. */
export const mutate = (text: string, { start, end, replacement }: Mutant): string =>
  text.slice(0, start) + replacement + text.slice(end)

/** Describes a mutant by its code and not by its position, so that the description survives unrelated changes. */
export function describeMutant(text: string, { start, end, replacement }: Mutant): { code: string; change: string } {
  const flat = (code: string) => code.replaceAll(/\s+/g, ' ').trim()
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const lineEnd = text.indexOf('\n', start)
  const code = text.slice(lineStart, lineEnd < 0 ? undefined : lineEnd).trim()
  return { code, change: `${flat(text.slice(start, end))} → ${flat(replacement) || '(removed)'}` }
}

function changesOf(node: ts.Node): readonly Change[] {
  return [
    ...expressionChanges(node),
    ...literalChanges(node),
    ...statementChanges(node),
    ...partChanges(node),
    ...(isCondition(node)
      ? ([
          [node, 'true'],
          [node, 'false'],
        ] as const)
      : []),
  ]
}

function expressionChanges(node: ts.Node): readonly Change[] {
  if (ts.isBinaryExpression(node)) {
    const { left, right, operatorToken } = node
    const swapped = (OPERATORS[operatorToken.kind] ?? []).map((operator): Change => [operatorToken, operator])
    const sides: Change[] = [
      [node, left.getText()],
      [node, right.getText()],
    ]
    if (ALTERNATIVES.has(operatorToken.kind) || operatorToken.kind === K.QuestionQuestionToken) return sides
    if (operatorToken.kind === K.QuestionQuestionEqualsToken) return [[operatorToken, '=']]
    const isSum = operatorToken.kind === K.PlusToken || operatorToken.kind === K.MinusToken
    return isSum ? [...swapped, ...sides] : swapped
  }
  if (ts.isPrefixUnaryExpression(node) && (node.operator === K.ExclamationToken || node.operator === K.MinusToken))
    return [[node, node.operand.getText()]]
  if (ts.isPropertyAccessExpression(node) && node.questionDotToken) return [[node.questionDotToken, '.']]
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
    const { name, expression } = node.expression
    const other = Object.hasOwn(METHODS, name.text) ? METHODS[name.text] : undefined
    if (other === undefined) return []
    return other === '' ? [[node, expression.getText()]] : [[name, other]]
  }
  return []
}

function literalChanges(node: ts.Node): readonly Change[] {
  if (ts.isNumericLiteral(node)) {
    const value = Number(node.text)
    return [value + 1, value - 1].map((other): Change => [node, other < 0 ? `(${other})` : String(other)])
  }
  if (node.kind === K.TrueKeyword) return [[node, 'false']]
  if (node.kind === K.FalseKeyword) return [[node, 'true']]
  const isText = ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)
  if (isText) return node.text === '' || node.text.includes(' ') ? [] : [[node, "''"]]
  if (ts.isTemplateExpression(node)) return / /.test(node.getText().replaceAll(/\$\{.*?\}/g, '')) ? [] : [[node, "''"]]
  if (ts.isArrayLiteralExpression(node) && node.elements.length === 0) return [[node, '[undefined]']]
  return []
}

function statementChanges(node: ts.Node): readonly Change[] {
  if (ts.isIfStatement(node) && node.elseStatement) return [[node.elseStatement, '{}']]
  const isRemovable =
    ts.isExpressionStatement(node) ||
    ts.isReturnStatement(node) ||
    ts.isThrowStatement(node) ||
    ts.isForOfStatement(node) ||
    ts.isBreakOrContinueStatement(node)
  return isRemovable ? [[node, ';']] : []
}

/** Drops each part of an array or object literal. */
function partChanges(node: ts.Node): readonly Change[] {
  if (ts.isArrayLiteralExpression(node)) return node.elements.map((part): Change => [part, ''])
  if (ts.isObjectLiteralExpression(node))
    return node.properties.filter((part) => !isEstimate(part)).map((part): Change => [part, ''])
  return []
}

/** Returns whether an expression decides alone. The operands of `&&` and `||` are dropped instead. */
function isCondition(node: ts.Node): boolean {
  const { parent } = node
  if (!parent) return false
  if (ts.isIfStatement(parent)) return parent.expression === node
  if (ts.isConditionalExpression(parent) || ts.isForStatement(parent)) return parent.condition === node
  const isBoolean =
    ts.isBinaryExpression(node) &&
    (COMPARISONS.has(node.operatorToken.kind) || ALTERNATIVES.has(node.operatorToken.kind))
  const isOperand = ts.isBinaryExpression(parent) && ALTERNATIVES.has(parent.operatorToken.kind)
  return isBoolean && !isOperand && !ts.isParenthesizedExpression(parent)
}

/** Returns the length of the comma after a part that is dropped. */
function separatorAfter(node: ts.Node, replacement: string, text: string): number {
  return replacement === '' ? (/^\s*,/.exec(text.slice(node.getEnd()))?.[0].length ?? 0) : 0
}

/** Returns whether a text parses. The compiler's public way to find out transpiles the text, which takes ten times longer. */
function isValid(file: string, text: string): boolean {
  const source: ts.SourceFile & { readonly parseDiagnostics?: readonly unknown[] } = ts.createSourceFile(
    file,
    text,
    ts.ScriptTarget.Latest,
  )
  return source.parseDiagnostics?.length === 0
}
