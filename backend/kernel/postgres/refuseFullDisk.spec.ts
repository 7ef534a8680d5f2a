import os from 'node:os'
import { expect, it } from 'vitest'
import { refuseFullDisk } from './refuseFullDisk.ts'

it('refuses a disk on which nothing is free, as /proc always is, and no other', async () => {
  await expect(refuseFullDisk('/proc')).rejects.toThrow('the disk of /proc is full')
  await expect(refuseFullDisk(os.tmpdir())).resolves.toBeUndefined()
})
