import { once } from 'node:events'
import { Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { zipFiles } from './zipFiles.ts'

const CHUNK = Buffer.alloc(256 * 1024, 'k')
const CHUNKS = 16

function manyFiles(count: number) {
  const state = { opened: 0, made: 0, destroyed: 0 }
  const open = () => {
    state.opened++
    let left = CHUNKS
    return new Readable({
      read() {
        if (left-- === 0) return void this.push(null)
        state.made += CHUNK.length
        this.push(CHUNK)
      },
      destroy(error, done) {
        state.destroyed++
        done(error)
      },
    })
  }
  const files = async function* () {
    for (let n = 0; n < count; n++) yield { name: 'cat.mp4', at: new Date(0), open }
  }
  return { state, zip: zipFiles(files()) }
}

it('opens a file when its reader has taken those before it, and holds a few chunks', async () => {
  const { state, zip } = manyFiles(50)
  let taken = 0
  let held = 0
  for await (const chunk of zip) {
    taken += (chunk as Buffer).length
    held = Math.max(held, state.made - taken)
    expect(state.opened).toBeLessThanOrEqual(taken / (CHUNK.length * CHUNKS) + 2)
  }
  console.log(`50 files, ${Math.round(taken / 2 ** 20)} MiB as one zip: at most ${held / 2 ** 10} KiB held`)
  expect(state.opened).toBe(50)
  expect(held).toBeLessThan(8 * CHUNK.length)
})

it('gives every file a name of its own, also on file systems that ignore case', async () => {
  const files = async function* () {
    for (const name of ['a.mp4', 'A.mp4', 'a (2).mp4', 'a.mp4'])
      yield { name, at: new Date(0), open: () => Readable.from([Buffer.from(name)]) }
  }
  const zip = Buffer.concat((await zipFiles(files()).toArray()) as Buffer[]).toString('latin1')
  // The central directory names each file after 46 bytes (APPNOTE 4.3.12).
  const [, ...entries] = zip.split('PK\x01\x02')
  const names = entries.map((entry) => /^.{42}([^.]+\.mp4)/s.exec(entry)?.[1])
  expect(names).toEqual(['a.mp4', 'A (2).mp4', 'a (2) (2).mp4', 'a (3).mp4'])
})

it('stops reading when its reader leaves', async () => {
  const { state, zip } = manyFiles(50)
  await once(zip, 'readable')
  zip.destroy()
  await expect.poll(() => state.destroyed).toBe(state.opened)
  expect(state.opened).toBeLessThan(3)
})
