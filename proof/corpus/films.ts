import type { Case, Step } from './case.ts'

/** Orders a film and waits for it. */
const film = (prompt = 'A cat on a hill'): readonly Step[] => [
  {
    send: 'POST /api/v1/videos/generate',
    as: 'user',
    json: { task_type: 'text_to_video', model: 'MiniMax-Hailuo-02', prompt, duration: 6, resolution: '768P' },
    status: 202,
    take: { task: /"id":"([^"]+)"/ },
  },
  {
    send: 'GET /api/v1/videos/tasks/{task}',
    as: 'user',
    status: 200,
    shows: { status: 'Success' },
    take: { film: /"video_url":"(?:https?:\/\/[^/]+)?(\/[^"]+)"/ },
    eventually: true,
  },
]
const part = (range: string, answered: Partial<Step> & { status: number }): Step => ({
  send: 'GET {film}',
  as: 'user',
  headers: { range },
  ...answered,
})
const WHOLE: Step = { send: 'HEAD {film}', as: 'user', status: 200, take: { size: /content-length: (\d+)/ } }

/** Films and their files. */
export const films: readonly Case[] = [
  {
    id: 'the end of a file',
    report: 'https://github.com/fliks-app/fliks/issues/350',
    steps: [
      ...film(),
      WHOLE,
      part('bytes=-500', { status: 206, says: ['content-length: 500\n', '/{size}\n'] }),
      part('bytes=0-99999999999', { status: 206, says: ['content-length: {size}\n'] }),
      part('bytes=5-1', { status: 416, code: 'range_not_satisfiable', says: ['content-range: bytes */{size}\n'] }),
      part('bytes=-0', { status: 416, code: 'range_not_satisfiable', says: ['content-range: bytes */{size}\n'] }),
    ],
  },
  {
    id: 'a range that is none, and one beyond the end',
    report: 'https://github.com/Scottcjn/bottube/issues/1029',
    steps: [
      ...film(),
      WHOLE,
      part('bytes=abc-def', { status: 200, says: ['content-length: {size}\n'] }),
      part('bytes=', { status: 200 }),
      part('pages=1-2', { status: 200 }),
      part('bytes=999999999-', {
        status: 416,
        code: 'range_not_satisfiable',
        says: ['content-range: bytes */{size}\n'],
      }),
      part('bytes=99999999999999999999-', { status: 416, code: 'range_not_satisfiable' }),
    ],
  },
  {
    id: 'several ranges',
    report: 'https://github.com/JoyStream/joystream-desktop/issues/1003',
    steps: [
      ...film(),
      WHOLE,
      part('bytes=0-1,4-5', { status: 200, says: ['content-length: {size}\n'] }),
      part(`bytes=${Array.from({ length: 1_000 }, (_, n) => `${n}-${n}`).join(',')}`, { status: 200 }),
    ],
  },
  {
    id: 'a file name in another script',
    report: 'https://github.com/LogicLabs-OU/OpenArchiver/issues/182',
    steps: [
      ...film('所有邮件 in the rain'),
      {
        send: 'GET /api/v1/videos/download/{task}',
        as: 'user',
        status: 200,
        says: ["filename*=UTF-8''%E6%89%80%E6%9C%89"],
      },
    ],
  },
  {
    id: 'a file name with an umlaut',
    report: 'https://github.com/PicPeak/picpeak/issues/1024',
    steps: [
      ...film('Müller Straße €'),
      { send: 'GET /api/v1/videos/download/{task}', as: 'user', status: 200, says: ["filename*=UTF-8''M%C3%BCller"] },
    ],
  },
  {
    id: 'a file name with quotes and line ends',
    report: 'https://github.com/imuniqueshiv/MeetOnMemory/pull/788',
    steps: [
      ...film('a "b"\r\nSet-Cookie: c=d; ../'),
      { send: 'GET /api/v1/videos/download/{task}', as: 'user', status: 200, never: ['set-cookie: c', '../'] },
    ],
  },
  {
    id: 'a preview without the watermark',
    report: 'https://github.com/SenseNet/sensenet/issues/1201',
    steps: [
      ...film(),
      {
        send: 'GET /api/v1/videos/download/{task}',
        as: 'user',
        status: 200,
        take: { marked: /content-length: (\d+)/ },
      },
      { send: 'HEAD {film}', as: 'user', status: 200, says: ['content-length: {marked}\n'] },
      { send: 'HEAD {film}?watermark=false', as: 'user', status: 200, says: ['content-length: {marked}\n'] },
      {
        send: 'GET /api/v1/videos/download/{task}?watermark=false',
        as: 'user',
        status: 200,
        says: ['content-length: {marked}\n'],
      },
    ],
  },
  {
    id: 'a film under a guessed address',
    report: 'https://github.com/graphpaperpress/Sell-Media/issues/841',
    steps: [
      ...film(),
      { send: 'GET {film}', status: 401, code: 'unauthenticated' },
      { send: 'GET /media/videos/{task}.mp4', status: 404, code: 'not_found' },
      { send: 'GET /videos/{task}.mp4', status: 404, code: 'not_found' },
    ],
  },
]
