import type { Case } from './case.ts'

/** Bytes on a WebSocket. Frames of a client are masked; here with zeros. */
export const sockets: readonly Case[] = [
  {
    id: 'a frame with a reserved bit',
    report: 'https://github.com/websockets/ws/issues/1777',
    frames: 'c18500000000' + '48656c6c6f',
    closes: 1002,
  },
  {
    id: 'line ends instead of frames',
    report: 'https://github.com/websockets/ws/issues/1417',
    frames: '0d0a0d0a0d0a',
    closes: 1002,
  },
  {
    id: 'a frame without a mask',
    report: 'https://github.com/websockets/ws/issues/2055',
    frames: '810570696e670a',
    closes: 1002,
  },
  {
    id: 'a close frame with a status that is none',
    report: 'https://github.com/websockets/ws/issues/1916',
    frames: '8882000000005765',
    closes: 1002,
  },
  {
    id: 'a close frame with a status that is reserved',
    report: 'https://github.com/theturtle32/WebSocket-Node/issues/254',
    frames: '88820000000003ee',
    closes: 1002,
  },
  {
    id: 'a close frame without a status',
    report: 'https://github.com/Lawouach/WebSocket-for-Python/issues/263',
    frames: '888000000000',
    closes: 1005,
  },
  {
    id: 'a text that is no UTF-8',
    report: 'https://github.com/ClusterWS/cWS/issues/39',
    frames: '818200000000c328',
    closes: 1007,
  },
]
