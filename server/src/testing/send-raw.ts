import { type OutgoingHttpHeaders, request } from "node:http";
import { text } from "node:stream/consumers";

/** A request as it goes over the wire. */
export interface RawRequest {
  method?: string;
  path: string;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
}

export interface RawAnswer {
  status: number;
  headers: NodeJS.Dict<string | string[]>;
  body: string;
}

/** Sends what is given as it stands, where `fetch` would tidy it up or refuse it. */
export function sendRaw(url: string, { body, ...options }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, ...options }, (answer) => {
      const { statusCode: status = 0, headers } = answer;
      text(answer).then((read) => resolve({ status, headers, body: read }), reject);
    })
      .on("error", reject)
      .end(body);
  });
}
