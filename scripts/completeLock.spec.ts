import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { sampled } from '#backend/testing/sampled.ts'
import { completed, missingPackages, platformOf } from './completeLock.mjs'

const ROOT = path.resolve(import.meta.dirname, '..')

interface Entry {
  version: string
  integrity?: string
  resolved?: string
  link?: boolean
  optional?: boolean
  cpu?: string[]
  os?: string[]
}

const lock = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Entry>
}

/** Packages that a complete registry has, and the one that wrote the lock has not. */
const UNHASHED = /^node_modules\/(@biomejs\/cli|@napi-rs\/canvas|@oxc-parser\/binding|@swc\/core)-/

/** Passes a folder with the files that npm decides by. */
function withManifest(use: (folder: string) => void): void {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-lock-'))
  for (const file of ['package.json', 'package-lock.json', '.npmrc'])
    copyFileSync(path.join(ROOT, file), path.join(folder, file))
  use(folder)
  rmSync(folder, { recursive: true })
}

describe('package-lock.json', () => {
  it('has an entry for each optional package of each platform', () => {
    expect(missingPackages(lock), 'run node scripts/completeLock.mjs').toEqual([])
  })

  it('names no registry, and lacks hashes only of optional packages for other platforms', () => {
    const entries = Object.entries(lock.packages).filter(
      ([place, { link }]) => place.startsWith('node_modules/') && !link,
    )
    expect(entries.filter(([, { resolved }]) => resolved)).toEqual([])
    for (const [place, entry] of entries.filter(([, { integrity }]) => !integrity)) {
      expect(place).toMatch(UNHASHED)
      expect(entry).toMatchObject({ optional: true, os: [expect.any(String)], cpu: [expect.any(String)] })
    }
  })

  // npm 10 and the first releases of npm 11 end with a TypeError when they look for a place for such a peer.
  it('contradicts no peer dependency, so that the npm of each supported Node.js installs it', () => {
    withManifest((folder) => {
      const options = ['--package-lock-only', '--all', '--offline']
      const { stderr } = spawnSync('npm', ['ls', ...options], { cwd: folder, encoding: 'utf8' })
      expect(stderr).not.toContain('npm error')
    })
  })

  it.each(
    sampled(
      [
        ['linux', 'x64'],
        ['linux', 'arm64'],
        ['darwin', 'arm64'],
        ['darwin', 'x64'],
      ],
      2,
    ),
  )('is accepted by npm ci for %s %s', (system, cpu) => {
    const platform = [`--os=${system}`, `--cpu=${cpu}`, ...(system === 'linux' ? ['--libc=glibc'] : [])]
    withManifest((folder) => {
      const options = ['--dry-run', '--offline', '--ignore-scripts', `--cache=${folder}/cache`]
      const output = execFileSync('npm', ['ci', ...options, ...platform], { cwd: folder, encoding: 'utf8' })
      expect(output).toMatch(/added \d{3} packages/)
    })
  })
})

describe('completed', () => {
  const owner = {
    version: '1.0.0',
    dev: true,
    optionalDependencies: { 'x-linux-x64-musl': '1.0.0', 'x-any': '^1.0.0' },
  }
  const partial = { packages: { '': {}, 'node_modules/y': {}, 'node_modules/x': owner } }

  it('adds what the lock lacks, sorted and with its platform, and changes nothing the second time', () => {
    const { packages } = completed(partial)
    expect(Object.keys(packages)).toEqual(['', 'node_modules/x', 'node_modules/x-linux-x64-musl', 'node_modules/y'])
    expect(packages['node_modules/x-linux-x64-musl']).toEqual({
      ...{ version: '1.0.0', cpu: ['x64'], libc: ['musl'], os: ['linux'] },
      ...{ dev: true, optional: true },
    })
    expect(completed({ packages })).toEqual({ packages })
  })
})

describe('platformOf', () => {
  it.each([
    ['@biomejs/cli-darwin-arm64', { cpu: ['arm64'], os: ['darwin'] }],
    ['@swc/core-linux-arm-gnueabihf', { cpu: ['arm'], libc: ['glibc'], os: ['linux'] }],
    ['@oxc-parser/binding-android-arm-eabi', { cpu: ['arm'], os: ['android'] }],
    ['@napi-rs/canvas-win32-x64-msvc', { cpu: ['x64'], os: ['win32'] }],
  ])('reads the platform of %s', (name, platform) => {
    expect(platformOf(name)).toEqual(platform)
  })

  it('refuses a name without a platform', () => {
    expect(() => platformOf('@example/native')).toThrow('@example/native is missing')
  })
})
