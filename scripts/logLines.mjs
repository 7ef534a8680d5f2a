// Lists every log line of the server in docs/operations/log-lines.md. `--write` updates the page.
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '..')
export const PAGE = 'docs/operations/log-lines.md'
const CALL = /\blog(?:\.(trace|debug|info|warn|error|fatal)|\[([^\]]*)\])\(/g
const HEAD = `# Log lines

Logs are JSON lines on standard error. \`msg\` is the message; every line also has \`level\` (10 trace, 20 debug, 30 info,
40 warn, 50 error, 60 fatal) and \`time\`. \`err\` has \`type\`, \`message\`, \`code\`, \`stack\` and \`cause\`, without personal data.
Search for the message: \`docker compose logs | grep 'csp violation'\`.

Generated from the code by \`node scripts/logLines.mjs --write\`.
`

/** Splits the text between matching brackets at its commas, ignoring commas in nested brackets and strings. */
function splitItems(text, open) {
  const items = []
  let depth = 0
  let quote = ''
  let start = open + 1
  for (let at = open; at < text.length; at++) {
    const char = text[at]
    if (quote !== '') {
      if (char === '\\') at++
      else if (char === quote) quote = ''
    } else if (`'"\``.includes(char)) quote = char
    else if ('([{'.includes(char)) depth++
    else if (char === ',' && depth === 1) {
      items.push(text.slice(start, at).trim())
      start = at + 1
    } else if (')]}'.includes(char) && --depth === 0) return [...items, text.slice(start, at).trim()].filter(Boolean)
  }
  return items
}

/** Returns the field names of an object literal or of a constant in the file that is one, with any literal values. */
function fieldsOf(expression, source, where) {
  const declared = source.indexOf(`const ${expression} = {`)
  const literal = expression.startsWith('{') ? expression : declared >= 0 && source.slice(source.indexOf('{', declared))
  if (!literal) throw new Error(`${where}: log fields must be an object literal, not ${expression}`)
  return splitItems(literal, 0).map((item) => {
    const [, name, value] = /^(\w+)\s*(?::\s*(.*))?$/s.exec(item) ?? []
    if (!name) throw new Error(`${where}: name each log field instead of ${item}`)
    return value?.startsWith(`'`) ? `${name}=${value.slice(1, -1)}` : name
  })
}

/** Returns the levels, message, fields and file of every log call. @throws Error a message or a field is not literal */
export function logLines() {
  const files = execFileSync(
    'git',
    ['ls-files', '-co', '--exclude-standard', 'backend/*.ts', 'projections/*.ts', 'workflows/*.ts'],
    { cwd: ROOT, encoding: 'utf8' },
  )
  return files
    .split('\n')
    .filter((file) => file !== '' && !/\.spec\.|\/testing\//.test(file))
    .flatMap((file) => {
      const source = readFileSync(path.join(ROOT, file), 'utf8')
      return [...source.matchAll(CALL)].map((call) => {
        const args = splitItems(source, call.index + call[0].length - 1)
        const message = args.at(-1)
        const where = `${file}: ${call[0]}…)`
        if (!/^(['"`])(?:(?!\1|\$\{).)*\1$/s.test(message ?? '')) throw new Error(`${where} needs a literal message`)
        return {
          message: message.slice(1, -1),
          levels: call[1] ? [call[1]] : call[2].match(/(?<=')\w+(?=')/g),
          fields: args.length > 1 ? fieldsOf(args[0], source, where) : [],
          file,
        }
      })
    })
    .sort((a, b) => (a.message < b.message ? -1 : 1))
}

/** Returns the Markdown page, with its table aligned as Biome formats it. */
export function logPage() {
  const rows = logLines().map(({ message, levels, fields, file }) => [
    message,
    levels.join(', '),
    fields.map((name) => `\`${name}\``).join(', '),
    `[${file}](../../${file})`,
  ])
  const table = [['Message', 'Level', 'Fields', 'Logged in'], ...rows]
  const widths = [0, 1, 2, 3].map((column) => Math.max(...table.map((row) => row[column].length)))
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |\n`
  const [head, ...body] = table.map(line)
  return `${HEAD}\n${head}${line(widths.map((width) => '-'.repeat(width)))}${body.join('')}`
}

if (process.argv[1] === import.meta.filename) {
  if (process.argv.includes('--write')) writeFileSync(path.join(ROOT, PAGE), logPage())
  else process.stdout.write(logPage())
}
