import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { listMedia, listOwnFiles } from './copyFiles.ts'

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'kinora-list-'))
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

it('lists no file of the folder that ext4 keeps at the root of a disk', () => {
  for (const name of ['lost+found/#12', 'videos/task.mp4', 'videos/growing.mp4.part']) {
    const file = path.join(dataDir, 'media', name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, 'a video')
  }
  expect(listMedia(dataDir)).toEqual([path.join('media', 'videos', 'task.mp4')])
})

it('lists what operators describe themselves, with the clips of their templates', () => {
  const own = ['comfyui/wan.json', 'models/wan.json', 'providers/acme.json', 'templates/fox.json', 'templates/fox.mp4']
  for (const name of [...own, 'models/notes.txt', 'templates/fox.json.swp']) {
    const file = path.join(dataDir, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, 'by the operator')
  }
  expect(listOwnFiles(dataDir).toSorted()).toEqual(own)
})
