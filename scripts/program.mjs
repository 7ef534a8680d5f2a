import { existsSync } from 'node:fs'
import path from 'node:path'
import { installMissing } from './install.mjs'
import { NODE, ROOT, run } from './run.mjs'

/** Runs a program of the backend with these arguments, then those of this one, and the settings of `.env`; ends as it ends. */
export async function runProgram(file, ...args) {
  await installMissing()
  const settings = existsSync(path.join(ROOT, '.env')) ? ['--env-file=.env'] : []
  const { code } = await run(NODE, [...settings, file, ...args, ...process.argv.slice(2)])
  process.exit(code)
}
