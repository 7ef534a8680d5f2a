import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'

const read = (...names: string[]) => readFileSync(path.join(import.meta.dirname, ...names), 'utf8')
const page = read('../../docs/third-parties.md')
/** The parts of an expression such as `(MIT OR CC0-1.0)`. */
const partsOf = (licence: string) => licence.replace(/[()]/g, '').split(/ (?:AND|OR) /)

it('the page of third parties names each licence of an installed package', () => {
  const { licences, unstated } = JSON.parse(read('packages.json')) as {
    licences: string[]
    unstated: Record<string, string>
  }
  const all = [...licences, ...Object.values(unstated)].flatMap(partsOf)
  const named = (licence: string) => page.includes(licence.startsWith('https://') ? 'LICENSE.md' : licence)
  expect(all.filter((licence) => !named(licence))).toEqual([])
})

it('the page of third parties names each Debian package of the image', () => {
  const [, packages] = /^apt-get download -q (.+)$/m.exec(read('../image/system.sh'))!
  const known: Readonly<Record<string, string>> = {
    'busybox-static': 'busybox',
    libc6: 'glibc',
    libdav1d6: 'dav1d',
    'libgcc-s1': 'libgcc',
    'libstdc++6': 'libstdc++',
    libwebp7: 'libwebp',
    'libx264-164': 'x264',
    zlib1g: 'zlib',
  }
  expect(packages!.split(' ').filter((name) => !page.includes(known[name] ?? name))).toEqual([])
})
