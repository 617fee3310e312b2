import { useRef, useState } from "preact/hooks";
import { asFile, type LocalFile } from "../../description/form-values.ts";

/** Of the drawing, in pixels: a signature of 8 cm is printed with 300 dpi. */
const WIDTH = 960;
const HEIGHT = 320;
const PEN = 6;

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A place to draw a signature with mouse, finger, or pen. It becomes a PNG without background, cut to the ink. */
export function SketchPad({ draw }: { draw: (file: LocalFile) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const strokes = useRef<Point[][]>([]);
  const [isEmpty, setIsEmpty] = useState(true);
  const pointOf = (event: PointerEvent): Point => {
    const { left, top, width, height } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return { x: ((event.clientX - left) / width) * WIDTH, y: ((event.clientY - top) / height) * HEIGHT };
  };
  const paint = (): void => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    context.clearRect(0, 0, WIDTH, HEIGHT);
    drawStrokes(context, strokes.current);
  };
  const going = (event: PointerEvent): void => {
    if (!(event.currentTarget as HTMLElement).hasPointerCapture(event.pointerId)) return;
    strokes.current.at(-1)?.push(pointOf(event));
    paint();
  };
  const clear = (): void => {
    strokes.current = [];
    setIsEmpty(true);
    paint();
  };
  return (
    <div class="sketch-pad">
      <p class="quiet">Or draw it:</p>
      <canvas
        ref={canvas}
        width={WIDTH}
        height={HEIGHT}
        role="img"
        aria-label="Draw a signature here with a mouse, finger, or pen"
        onPointerDown={(event) => {
          if (event.button !== 0) return;
          event.currentTarget.setPointerCapture(event.pointerId);
          event.preventDefault();
          strokes.current.push([pointOf(event)]);
          setIsEmpty(false);
          paint();
        }}
        onPointerMove={going}
      />
      <div class="row">
        <button type="button" disabled={isEmpty} onClick={() => void pictureOf(strokes.current).then(draw)}>
          Use the drawing
        </button>
        <button type="button" class="plain" disabled={isEmpty} onClick={clear}>
          Clear
        </button>
      </div>
    </div>
  );
}

function drawStrokes(context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D, strokes: Point[][]): void {
  context.lineWidth = PEN;
  context.lineCap = "round";
  context.lineJoin = "round";
  context.strokeStyle = "#10182f";
  for (const [first, ...others] of strokes) {
    if (first === undefined) continue;
    context.beginPath();
    context.moveTo(first.x, first.y);
    let last = first;
    // Through the middle between two points, so that there are no corners.
    for (const point of others) {
      context.quadraticCurveTo(last.x, last.y, (last.x + point.x) / 2, (last.y + point.y) / 2);
      last = point;
    }
    context.lineTo(last.x, last.y);
    context.stroke();
  }
}

async function pictureOf(strokes: Point[][]): Promise<LocalFile> {
  const points = strokes.flat();
  const [left, top] = [Math.min(...points.map(({ x }) => x)) - PEN, Math.min(...points.map(({ y }) => y)) - PEN];
  const [right, bottom] = [Math.max(...points.map(({ x }) => x)) + PEN, Math.max(...points.map(({ y }) => y)) + PEN];
  const picture = new OffscreenCanvas(Math.ceil(right - left), Math.ceil(bottom - top));
  const context = picture.getContext("2d");
  if (context === null) throw new Error("This browser cannot draw.");
  context.translate(-left, -top);
  drawStrokes(context, strokes);
  return asFile(await picture.convertToBlob({ type: "image/png" }), "drawn-signature.png");
}
