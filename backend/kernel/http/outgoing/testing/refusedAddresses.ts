/** An address in each of the special ranges. */
export const SPECIAL_ADDRESSES = [
  ...['0.0.0.1', '10.1.2.3', '100.64.0.1', '127.9.9.9', '169.254.169.254', '172.16.0.1', '192.0.0.8', '192.0.2.1'],
  ...['192.88.99.1', '192.168.1.1', '198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1'],
  ...['255.255.255.255', '::', '::1', '::127.0.0.1', '::ffff:127.0.0.1', '::ffff:a00:1', '64:ff9b::a00:1'],
  ...['64:ff9b:1::1', '100::1', '2001::1', '2001:20::1', '2001:db8::1', '2002:7f00:1::', '3fff::1', '5f00::1'],
  ...['fc00::1', 'fd00:ec2::254', 'fe80::1', 'fec0::1', 'ff02::1'],
]

const LOOPBACKS = [
  ...['127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0x7f.1', '017700000001', '①②⑦.0.0.1', '127。0。0。1'],
  ...['127.0.0.1.', '127%2e0.0.1', '0', 'localhost', 'LOCALHOST', 'localhost.', 'a.localhost'],
]
const NAMES = ['intranet', 'intranet.', 'printer.local', 'metadata.google.internal', 'nas.lan', 'nas.home.arpa.']

/** Addresses that no user of the guard may request. */
export const REFUSED_ADDRESSES = [
  ...SPECIAL_ADDRESSES.map((address) => `https://${address.includes(':') ? `[${address}]` : address}/x`),
  ...[...LOOPBACKS, ...NAMES].map((host) => `https://${host}/x`),
  ...['http://1.1.1.1/', 'ftp://1.1.1.1/', 'file:///etc/passwd', 'data:text/plain,x', 'https://a:b@kinora.example/'],
  ...['https://a@kinora.example/', 'https://kinora.example:22/', 'https://kinora.example:80/'],
]
