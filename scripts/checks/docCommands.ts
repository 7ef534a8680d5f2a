import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '../..')

const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}

/** Pages that tell self-hosters what to run. */
export const PAGES: readonly string[] = [
  'README.md',
  ...['auditing', 'configuration', 'ledger-archive', 'operations', 'scaling'].map((name) => `docs/${name}.md`),
  ...['docs/operations', 'content/en/docs', 'content/zh/docs'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
]

/** Returns the commands in the `sh` blocks of the pages, each once, without comments and lines that are settings. */
export function commandsOf(pages: readonly string[]): string[] {
  const blocks = pages.flatMap((page) =>
    [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map(([, lines = '']) => lines),
  )
  const lines = blocks.flatMap((block) => block.split('\n')).map((line) => line.replace(/(^|\s+)#.*$/, '').trim())
  return [...new Set(lines)].filter(
    (line) => line && !/^[A-Z][A-Z0-9_]*=\S*( [A-Z][A-Z0-9_]*=\S*)*( |$)(?![a-z])/.test(line),
  )
}

/** Returns the commands that sentences of the pages contain. */
export const inlineCommandsOf = (pages: readonly string[]): string[] =>
  pages.flatMap((page) =>
    [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(/`((?:npm run|docker compose run) [^`\n]+)`/g)].map(
      ([, command = '']) => command,
    ),
  )

/** Commands that are not run here, each with the reason. */
export const NOT_RUN: readonly (readonly [RegExp, string])[] = [
  [/^npm (start|test)\b/, 'freshClone.e2e.spec.ts starts a clone, and the tests would run themselves'],
  [/^npm run (dev|check|test:full|format|bench|showcase)\b/, 'for developers, and run by themselves'],
  [/^docker (build|run)\b/, 'image.e2e.spec.ts builds and runs the image where there is a Docker Engine'],
  [
    /^docker compose (up|build|logs|ps|exec)\b/,
    'needs a Docker Engine and images from a registry; compose.spec.ts checks the files',
  ],
  [/^sh scripts\/upgrade\.sh/, 'needs a running Compose project; upgrade.spec.ts'],
  [/^npm run adjust$/, 'needs arguments; adjust.int.spec.ts'],
  [/^npm run providers -- check /, 'needs the key of a provider; providers.int.spec.ts'],
  [/--from (s3:|\/mnt\/copies)/, 'needs the recovery phrase; specs of backend/backups/recovery'],
  [/ops restore .*--here/, 'needs a level without data; compose.e2e.spec.ts'],
  [/<(id|export|fingerprint)/, 'has a placeholder; specs of backend/audit'],
  [/psql -- -c .*018f…/, 'has a placeholder'],
  [/--adopt-log/, 'needs an EventStoreDB'],
]

/** Returns why a command is not run, if it is not. */
export const whyNotRun = (command: string): string | undefined => NOT_RUN.find(([form]) => form.test(command))?.[1]

/** Returns what follows `docker compose run --rm ops` in order to run a command in the `ops` service, if it is a program there. */
export function opsLineOf(command: string): string | undefined {
  const [, line] = /^(?:npm run (?:-s )?|docker compose run --rm ops )(.+)$/.exec(command) ?? []
  const [name = ''] = line?.split(' ') ?? []
  if (!line || name === 'showcase' || !scripts[name]?.startsWith('exec node scripts/program.mjs backend/programs '))
    return undefined
  // As the docs say, files are in /backups there.
  return line
    .replace(' -- ', ' ')
    .replace(/(?<=\s)(?:\/srv|\.data(?:\/backups)?)\//g, '/backups/')
    .replace(/(?<=--out )(?=[a-z])/, '/backups/')
}

/** Lines that are not run in the `ops` service, each with the reason. */
const NOT_RUN_IN_OPS: readonly (readonly [RegExp, string])[] = [
  [/^(adjust|audit|audit export|providers check)$/, 'needs arguments'],
  [/^(providers check|paypal:plans)/, 'needs the key of a provider'],
  [/--from (s3:|\/mnt\/copies)/, 'needs the recovery phrase'],
  [/^restore .*--here/, 'needs a level without data; a test of its own'],
  [/<|018f…|--heads ledger\.tar/, 'has a placeholder, or reads the file of an auditor'],
  [/^psql/, 'the image has no psql; the docs name the command for Compose'],
]

/** Returns why a line is not run in the `ops` service of a level, if it is not. */
export const whyNotRunInOps = (line: string, level: 'small' | 'full'): string | undefined =>
  level === 'small' && line.includes('--adopt-log')
    ? 'needs an EventStoreDB'
    : NOT_RUN_IN_OPS.find(([form]) => form.test(line))?.[1]
