// The pictures in the answer of an addon's tool: the model sees them next to the text, which names each in its place.

import { type CallReport, MAX_PICTURE_BYTES, pictureIn } from "indusagi/capabilities";
import { isTable } from "indusagi/core";

type Show = CallReport["picture"];

/** The answer with words in place of its pictures, which `show` gets. An error's are not shown: providers take none with it. */
export function showPictures(answer: unknown, show: Show | undefined): unknown {
  if (!isTable(answer) || !Array.isArray(answer.content)) return answer;
  const mayShow = answer.isError === true ? undefined : show;
  return {
    ...answer,
    content: answer.content.map((block: unknown) =>
      isTable(block) && (block.kind ?? block.type) === "image"
        ? { kind: "text", text: shown(block.data, mayShow) }
        : block,
    ),
  };
}

function shown(data: unknown, show: Show | undefined): string {
  const bytes = Buffer.from(typeof data === "string" ? data : "", "base64");
  const size = `${bytes.length} bytes`;
  const picture = pictureIn(bytes);
  if (picture === undefined)
    return `[a picture of ${size}, not shown: it is not a PNG, JPEG, GIF or WebP, nor a PDF]`;
  const { mediaType } = picture;
  if (bytes.length > MAX_PICTURE_BYTES)
    return `[${mediaType} of ${size}, not shown: the limit is ${MAX_PICTURE_BYTES}]`;
  if (show === undefined) return `[${mediaType} of ${size}, not shown with an error]`;
  show({ kind: "image", mediaType, data: bytes.toString("base64") });
  return `[${mediaType} of ${size}, shown with this result]`;
}
