import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

const ROOT = path.resolve(import.meta.dirname, '../..')

/** Pages that tell self-hosters what to run. */
export const PAGES: readonly string[] = [
  'README.md',
  'docs/operations.md',
  'docs/ledger-archive.md',
  ...['docs/operations', 'content/en/docs', 'content/zh/docs'].flatMap((folder) =>
    readdirSync(path.join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
]

/** Returns the commands in the `sh` blocks of the pages, each once, without comments and lines that are settings. */
export function commandsOf(pages: readonly string[]): string[] {
  const blocks = pages.flatMap((page) =>
    [...readFileSync(path.join(ROOT, page), 'utf8').matchAll(/^```sh\n(.*?)^```/gms)].map(([, lines]) => lines!),
  )
  const lines = blocks.flatMap((block) => block.split('\n')).map((line) => line.replace(/(^|\s+)#.*$/, '').trim())
  return [...new Set(lines)].filter(
    (line) => line && !/^[A-Z][A-Z0-9_]*=\S*( [A-Z][A-Z0-9_]*=\S*)*( |$)(?![a-z])/.test(line),
  )
}

/** Commands that are not run here, each with the reason. */
export const NOT_RUN: readonly (readonly [RegExp, string])[] = [
  [/^npm (start|test)\b/, 'freshClone.e2e.spec.ts starts a clone, and the tests would run themselves'],
  [/^npm run (dev|check|test:full|format|bench|showcase)\b/, 'for developers, and run by themselves'],
  [/^docker (build|run)\b/, 'image.e2e.spec.ts builds and runs the image where there is a Docker Engine'],
  [
    /^docker compose (up|build|logs|ps)\b/,
    'needs a Docker Engine and images from a registry; compose.spec.ts checks the files',
  ],
  [/^sh scripts\/upgrade\.sh/, 'needs a running Compose project; upgrade.spec.ts'],
  [/^npm run adjust$/, 'needs arguments; adjust.int.spec.ts'],
  [/^npm run providers -- check /, 'needs the key of a provider; providers.int.spec.ts'],
  [/--from (s3:|\/mnt\/copies)/, 'needs the recovery phrase; specs of backend/programs/recovery'],
  [/<(id|export|fingerprint)/, 'has a placeholder; specs of backend/audit'],
  [/psql -- -c .*018f…/, 'has a placeholder'],
  [/--adopt-log/, 'needs an EventStoreDB'],
]

/** Returns why a command is not run, if it is not. */
export const whyNotRun = (command: string): string | undefined => NOT_RUN.find(([form]) => form.test(command))?.[1]
