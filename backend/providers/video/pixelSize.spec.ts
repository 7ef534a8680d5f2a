import { expect, it } from 'vitest'
import { pixelSize } from './pixelSize.ts'

it.each([
  ['720P', undefined, '1280x720'],
  ['720P', '9:16', '720x1280'],
  ['768P', '1:1', '768x768'],
  ['480P', '16:9', '848x480'],
  ['1080P', '16:9', '1920x1088'],
  ['2K', '16:9', '2560x1440'],
  ['832x480', '9:16', '832x480'],
  ['720P', { width: 600, height: 800 }, '720x960'],
  ['720P', { width: 800, height: 600 }, '960x720'],
])('%s in %j has %s pixels', (resolution, shape, size) => {
  const { width, height } = pixelSize(resolution, shape)!
  expect(`${width}x${height}`).toBe(size)
})

it('a resolution that is not a size has no pixels', () => expect(pixelSize('best')).toBeUndefined())
