import { parseAst } from 'vite'

const CONTRACT = /\/backend\/.*contract\.ts(\?schemas)?$/
/** What clients need of an endpoint. The rest, above all its schemas, is for the server. */
const KEPT = new Set(['access', 'method', 'path', 'role'])

const isEndpoint = ({ type, callee }) => type === 'CallExpression' && callee.name === 'endpoint'

/** Yields the parts of a program, except those that clients do not need, which it adds to `cuts`. */
function* walk(node, cuts) {
  yield node
  if (isEndpoint(node)) for (const part of node.arguments[1].properties) if (!KEPT.has(part.key?.name)) cuts.push(part)
  for (const part of Object.values(node).flat()) if (part?.type && !cuts.includes(part)) yield* walk(part, cuts)
}

/** Lists the declarations of a module: their names, the names that they contain, and the parts that clients do not need. */
const declarationsOf = (code) =>
  parseAst(code).body.flatMap((statement) => {
    const { id, declarations = id ? [{ id }] : [] } = statement.declaration ?? statement
    if (declarations.length === 0) return []
    const cuts = []
    const uses = [...walk(statement, cuts)].flatMap(({ type, name }) => (type === 'Identifier' ? [name] : []))
    const inits = declarations.flatMap(({ init }) => init ?? [])
    return [{ statement, names: declarations.map((each) => each.id.name), inits, uses, cuts }]
  })

/** Returns the declarations that need the validation library, directly or by each other. */
function withSchemas(all) {
  const heavy = new Set(['z'])
  const needs = ({ uses }) => uses.some((name) => heavy.has(name))
  for (let before = 0; before < heavy.size; ) {
    before = heavy.size
    for (const name of all.filter(needs).flatMap(({ names }) => names)) heavy.add(name)
  }
  return all.filter(needs)
}

/** Returns edits that remove what clients do not need, and let a bundler remove a constant that is not used. */
const leaner = (code, { inits, cuts }) => [
  ...cuts.map(({ start, end }) => [start, code[end] === ',' ? end + 1 : end, '']),
  ...inits
    .filter(({ type }) => /^(Call|Object|Array)Expression$/.test(type))
    .flatMap(({ start, end }) => [
      [start, start, '/* @__PURE__ */ (() => ('],
      [end, end, '))()'],
    ]),
]

/**
 * Divides the contracts in the scripts of the pages. A page needs paths, limits and rules of a contract, and never reads the
 * shapes of answers: the schemas become modules of their own, which only forms load, with the validation library.
 * See docs/decisions/0098-what-the-workspace-waits-for.md.
 */
export const leanContracts = () => ({
  name: 'lean-contracts',
  apply: 'build',
  applyToEnvironment: ({ name }) => name === 'client',
  transform(code, id) {
    const [contract, part] = CONTRACT.exec(id) ?? []
    if (!contract) return
    const all = declarationsOf(code)
    const moved = part ? [] : withSchemas(all)
    const names = moved.filter(({ statement }) => statement.declaration).flatMap((each) => each.names)
    const edits = [
      ...moved.map(({ statement }) => [statement.start, statement.end, '']),
      ...all.filter((each) => !moved.includes(each)).flatMap((each) => leaner(code, each)),
    ]
    const rest = edits
      .toSorted(([a], [b]) => b - a)
      .reduce((text, [start, end, put]) => text.slice(0, start) + put + text.slice(end), code)
    const exported = names.length > 0 ? `\nexport { ${names.join()} } from ${JSON.stringify(`${id}?schemas`)}` : ''
    return { code: rest + exported, map: null, moduleSideEffects: false }
  },
})
