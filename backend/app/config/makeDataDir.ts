import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { createOnce } from '../../kernel/createOnce.ts'
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

/**
 * Creates a file in the data folder, with mode 0600, unless it exists.
 * @returns false if it exists
 * @throws ConfigError it cannot be created
 */
export function keepInDataDir(dataDir: string, name: string, content: string): boolean {
  makeDataDir(dataDir)
  try {
    return createOnce(path.join(dataDir, name), content)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new ConfigError(`DATA_DIR: cannot write to ${dataDir} (${code}). Use a folder that Kinora may write`)
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
