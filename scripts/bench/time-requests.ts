/** Milliseconds of each of `count` requests, one after the other, and the size of the last answer in bytes. */
export async function timeRequests(
  count: number,
  request: (index: number) => { url: string; token: string },
): Promise<{ times: number[]; bytes: number; wireBytes: number }> {
  const times: number[] = [];
  let bytes = 0;
  let wireBytes = 0;
  for (let index = 0; index < count; index++) {
    const { url, token } = request(index);
    const startedAt = performance.now();
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
    const body = await response.arrayBuffer();
    times.push(performance.now() - startedAt);
    if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
    bytes = body.byteLength;
    wireBytes = Number(response.headers.get("content-length") ?? body.byteLength);
  }
  return { times, bytes, wireBytes };
}
