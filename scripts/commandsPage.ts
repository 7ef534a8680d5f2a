import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import ts from 'typescript'

// `node scripts/commandsPage.ts` writes docs/commands.md: every command with its stream, its senders and the events that it
// can append. All of it is read from the source; commandsPage.spec.ts fails when the page is out of date.

const ROOT = path.resolve(import.meta.dirname, '..')
const PAGE = path.join(ROOT, 'docs/commands.md')

interface Aggregate {
  readonly file: string
  readonly category: string
  readonly commands: readonly { readonly name: string; readonly events: readonly string[] }[]
}

function sourceFiles(): string[] {
  const files = ['backend', 'workflows'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`),
  )
  return files.filter((file) => /(?<!\.spec)\.ts$/.test(file) && !/(^|\/)testing\//.test(file)).sort()
}

/** Returns the literal values of the property `type` in a union of object types. */
function typesIn(checker: ts.TypeChecker, node: ts.TypeNode): string[] {
  const type = checker.getTypeFromTypeNode(node)
  return (type.isUnion() ? type.types : [type]).flatMap((member) => {
    const literal = checker.getTypeOfSymbolAtLocation(checker.getPropertyOfType(member, 'type')!, node)
    return (literal.isUnion() ? literal.types : [literal]).map((one) => (one as ts.StringLiteralType).value)
  })
}

/** Returns the literal that a node compares `command.type` with; undefined for any other node. */
function comparedCommand(node: ts.Expression): string | undefined {
  const isComparison =
    ts.isBinaryExpression(node) &&
    node.operatorToken.kind === ts.SyntaxKind.EqualsEqualsEqualsToken &&
    node.left.getText() === 'command.type'
  return isComparison && ts.isStringLiteral(node.right) ? node.right.text : undefined
}

/**
 * Collects the event types that a function can create for a command, from the branches on `command.type` that handle it
 * and from the functions that they call.
 */
function eventsOf(command: string, start: ts.Node, known: ReadonlySet<string>, checker: ts.TypeChecker): string[] {
  const found = new Set<string>()
  const visited = new Set<ts.Node>()
  const visitFunction = (identifier: ts.Node) => {
    let symbol = checker.getSymbolAtLocation(identifier)
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol)
    const declaration = symbol?.valueDeclaration
    if (!declaration || visited.has(declaration) || !declaration.getSourceFile().fileName.includes('/backend/')) return
    visited.add(declaration)
    ts.forEachChild(declaration, visit)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isSwitchStatement(node) && node.expression.getText() === 'command.type') {
      visitClause(node)
      return
    }
    if (ts.isIfStatement(node)) {
      const compared = comparedCommand(node.expression)
      if (compared && compared !== command) {
        if (node.elseStatement) visit(node.elseStatement)
        return
      }
    }
    if (ts.isBlock(node)) {
      // A branch of this command that returns ends the block.
      const end = node.statements.findIndex(
        (one) =>
          ts.isIfStatement(one) &&
          comparedCommand(one.expression) === command &&
          ts.isReturnStatement(one.thenStatement),
      )
      for (const statement of node.statements.slice(0, end < 0 ? undefined : end + 1)) visit(statement)
      return
    }
    if (ts.isPropertyAssignment(node) && node.name.getText() === 'type' && ts.isStringLiteral(node.initializer))
      if (known.has(node.initializer.text)) found.add(node.initializer.text)
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) visitFunction(node.expression)
    ts.forEachChild(node, visit)
  }
  const visitClause = ({ caseBlock }: ts.SwitchStatement) => {
    const names = (clause: ts.CaseOrDefaultClause) =>
      ts.isCaseClause(clause) && ts.isStringLiteral(clause.expression) && clause.expression.text === command
    const exact = caseBlock.clauses.findIndex(names)
    const first = exact >= 0 ? exact : caseBlock.clauses.findIndex(ts.isDefaultClause)
    // A clause without statements falls through to the next one.
    const clause = caseBlock.clauses.slice(Math.max(first, 0)).find(({ statements }) => statements.length > 0)
    if (first >= 0) clause?.statements.forEach(visit)
  }
  visitFunction(start)
  return [...known].filter((type) => found.has(type))
}

function aggregates(): Aggregate[] {
  const files = sourceFiles().filter((file) => file.endsWith('.decider.ts'))
  const options = { ...ts.parseConfigFileTextToJson('', readFileSync(path.join(ROOT, 'tsconfig.json'), 'utf8')).config }
  const program = ts.createProgram(
    files.map((file) => path.join(ROOT, file)),
    { ...ts.convertCompilerOptionsFromJson(options.compilerOptions, ROOT).options, noEmit: true },
  )
  const checker = program.getTypeChecker()
  return files.map((file) => {
    const source = program.getSourceFile(path.join(ROOT, file))!
    const variables = source.statements
      .filter(ts.isVariableStatement)
      .flatMap((one) => one.declarationList.declarations)
    const decider = variables.find(({ type }) => type?.getText().startsWith('Decider<'))!
    const [, commandType, eventType] = (decider.type as ts.TypeReferenceNode).typeArguments!
    const properties = (decider.initializer as ts.ObjectLiteralExpression).properties
    const property = (name: string) => properties.find((one) => one.name?.getText() === name)!
    const category = checker.getTypeAtLocation((property('category') as ts.PropertyAssignment).initializer)
    const decide = source.statements.find((one) => ts.isFunctionDeclaration(one) && one.name?.text === 'decide')
    const known = new Set(typesIn(checker, eventType!))
    const name = (decide as ts.FunctionDeclaration).name!
    const commands = typesIn(checker, commandType!).map((command) => ({
      name: command,
      events: eventsOf(command, name, known, checker),
    }))
    return { file, category: (category as ts.StringLiteralType).value, commands }
  })
}

/** Maps a file's path to the sender of its commands. The first match applies; contexts act on user requests. */
const SENDERS: readonly (readonly [pattern: RegExp, sender: string])[] = [
  [/^workflows\//, 'workflow'],
  // Its activity is one line.
  [/^backend\/invoices\//, 'workflow'],
  [/^backend\/(programs\/|codes\/issueCodes|desk\/|operators\/|cases\/|installation\/|triage\/)/, 'operator'],
  [/providerCallbacks\.ts$/, 'provider'],
  [/^backend\//, 'user'],
]

/**
 * Returns the files that send a command, each with its sender. `credits.ts` only builds commands, so its callers count
 * as the senders.
 */
function sendersOf(command: string, texts: ReadonlyMap<string, string>): string[] {
  const files = [...texts].flatMap(([file, text]) => {
    if (/\.(decider|rules)\.ts$|(^|\/)(commands|events)\.ts$|^backend\/kernel\//.test(file)) return []
    const places = [...text.matchAll(new RegExp(`\\btype: '${command}'`, 'g'))].map(({ index }) => index)
    if (file !== 'backend/credits/credits.ts') return places.length > 0 ? [file] : []
    return places.flatMap((index) => callersOf(methodAround(text, index), texts))
  })
  return [...new Set(files)].sort().map((file) => {
    const [, sender] = SENDERS.find(([pattern]) => pattern.test(file)) ?? []
    return `${sender} (\`${file}\`)`
  })
}

/** Returns the name of the method that contains an index in the text. Methods are indented by four spaces. */
function methodAround(text: string, index: number): string {
  const methods = [...text.slice(0, index).matchAll(/^ {4}(?:async )?(\w+)\((?!.*[;)]$)/gm)]
  return methods.at(-1)?.[1] ?? ''
}

function callersOf(method: string, texts: ReadonlyMap<string, string>): string[] {
  const call = new RegExp(`(?:\\bcredits|createCredits\\(.{0,80}\\))\\s*\\.${method}\\b`)
  return [...texts].filter(([, text]) => call.test(text)).map(([file]) => file)
}

/** Formats a Markdown table with aligned columns, as Biome does. */
function table(names: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = names.map((_, column) => Math.max(...[names, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0, fill)).join(' | ')} |\n`
  const rule = names.map(() => '')
  return [line(names), line(rule, '-'), ...rows.map((row) => line(row))].join('')
}

/** Returns the content of docs/commands.md. */
export function commandsPage(): string {
  const texts = new Map(sourceFiles().map((file) => [file, readFileSync(path.join(ROOT, file), 'utf8')]))
  const code = (values: readonly string[]) => values.map((value) => `\`${value}\``).join(', ')
  const sections = aggregates().map(({ file, category, commands }) => {
    const rows = commands.map(({ name, events }) => [code([name]), sendersOf(name, texts).join('<br>'), code(events)])
    const about = `Stream \`${category}-<id>\`, decided in [${file}](../${file}).`
    return `## ${category}\n\n${about}\n\n${table(['Command', 'Sent by', 'Events it can append'], rows)}`
  })
  return `# Commands\n\nGenerated from the source by \`node scripts/commandsPage.ts\`.\n\n${sections.join('\n')}`
}

if (import.meta.main) writeFileSync(PAGE, commandsPage())
