import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { readConfig } from './readConfig.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'kinora-logo-'))
afterAll(() => rmSync(folder, { recursive: true }))
const PNG = readFileSync(path.join(import.meta.dirname, '../../../site/public/icon-192.png'))
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>'

const OIDC = { OIDC_ISSUER: 'https://login.example', OIDC_CLIENT_ID: 'kinora', OIDC_CLIENT_SECRET: 'secret' }

const read = (file: string) => readConfig({ DATA_DIR: folder, ...OIDC, OIDC_LOGO: file }).signIn.openId[0]!.logo?.type
const logoOf = (content: string | Buffer) => {
  const file = path.join(folder, 'logo')
  writeFileSync(file, content)
  return read(file)
}
const changed = (change: (png: Buffer) => void) => {
  const png = Buffer.from(PNG)
  change(png)
  return png
}

it('takes a PNG or an SVG as the logo of a provider', () => {
  expect(logoOf(PNG)).toBe('image/png')
  expect(logoOf(SVG)).toBe('image/svg+xml')
  expect(logoOf(`\uFEFF<?xml version="1.0"?>\n<!-- Studio -->${SVG}`)).toBe('image/svg+xml')
})

it.each<[string, string | Buffer, RegExp]>([
  ['larger than 64 KiB', SVG.padEnd(65_537), /^OIDC_LOGO: \S+ is larger than 64 KiB$/],
  ['a page', `<!DOCTYPE html><body>${SVG}`, /is no PNG of at most 1024 × 1024 pixels, and no SVG$/],
  ['a picture of too many pixels', changed((png) => png.writeUInt32BE(1_025, 16)), /is no PNG of at most/],
  ['damaged', PNG.subarray(0, 20), /is no PNG of at most/],
  ['empty', '', /is no PNG of at most/],
])('refuses a logo that is %s', (_, content, reason) => {
  expect(() => logoOf(content)).toThrow(reason)
})

it('refuses a logo that cannot be read', () => {
  expect(() => read('/nowhere')).toThrow('OIDC_LOGO: /nowhere cannot be read (ENOENT)')
})
