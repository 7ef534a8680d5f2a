import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { ConfigError } from './environment.ts'

/** Creates the data folder and its parents, with mode 0700. @throws ConfigError it cannot be created */
export function makeDataDir(dataDir: string): void {
  try {
    makeFolder(path.resolve(dataDir))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(`DATA_DIR: cannot create ${dataDir} (${code}). Use a folder that Kinora may write`)
  }
}

/** Node's recursive `mkdir` never returns below `/proc`. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(path.dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may be faster.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}
