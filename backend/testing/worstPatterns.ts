/** Returns a unit repeated up to a length in bytes, between a start and an end. */
export const filled = (unit: string, length: number, start = '', end = '') =>
  start + unit.repeat(Math.floor(length / Buffer.byteLength(unit))) + end

/** Returns texts of about a length in bytes that are the worst case of some common regular expression, parser or normalization. */
export const worstPatterns = (length: number): readonly string[] => [
  filled('.', length, 'a@', '@'),
  filled('a@', length),
  filled('.a', length, 'a@b'),
  filled(' ', length, 'a', 'a'),
  filled('/', length, '/', 'x'),
  filled('=', length, 'a', 'a'),
  filled('0', length, '1', 'x'),
  filled('[', length),
  filled('<a', length),
  filled('-', length, 'a', '_'),
  filled('\u0315\u0327\u0301', length, 'a'),
  filled('\ufdfa', length),
  filled('1234', length),
]
