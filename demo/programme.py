#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the demonstration's programme: one Matroska file of real recorded video and speech.

usage: programme.py MEDIA-DIRECTORY

Reads the video clips that script/media fetched and the recorded speech of Debian's package
asterisk-core-sounds-en-wav, and writes programme.mkv beside the clips. Does nothing when that is
there already. The sending program decodes it, and encodes it again, live.
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import wave

CLIPS = ["bikes.mp4", "bigbuckbunny.mp4", "carphone_pristine.mp4"]
SPEECH_FOLDERS = [
    "/usr/share/asterisk/sounds/en_US_f_Allison",
    "/usr/share/asterisk/sounds/en",
]
SPEECH = ["demo-congrats", "demo-abouttotry", "demo-moreinfo", "demo-echotest"]
WIDTH, HEIGHT, RATE = 640, 360, 25
SECONDS = 19  # the three clips are 19.4 s long
PAUSE_SECONDS = 0.4


class MediaError(Exception):
    """Media or a program is missing; the text has the remedy."""


def find_clips(media):
    clips = [media / name for name in CLIPS]
    missing = [clip.name for clip in clips if not clip.is_file()]
    if missing:
        raise MediaError(f"{media} has no {', '.join(missing)}: run script/media, which needs the "
                         "network once, or copy the files there")
    return clips


def find_speech():
    for folder in map(pathlib.Path, SPEECH_FOLDERS):
        files = [folder / f"{name}.wav" for name in SPEECH]
        if all(file.is_file() for file in files):
            return files
    raise MediaError(f"no recorded speech in {' or '.join(SPEECH_FOLDERS)}: install the package "
                     "asterisk-core-sounds-en-wav (script/bootstrap does)")


def write_speech(files, target):
    """Joins the recordings, with pauses in between, to exactly SECONDS."""
    with wave.open(str(files[0])) as first:
        parameters = first.getparams()
    frame_size = parameters.sampwidth * parameters.nchannels
    wanted = SECONDS * parameters.framerate * frame_size
    pause = bytes(int(PAUSE_SECONDS * parameters.framerate) * frame_size)
    samples = bytearray()
    while len(samples) < wanted:
        for file in files:
            with wave.open(str(file)) as recording:
                if recording.getparams()[:3] != parameters[:3]:
                    raise MediaError(f"{file} is not recorded like {files[0]}")
                samples += recording.readframes(recording.getnframes()) + pause
    with wave.open(str(target), "wb") as speech:
        speech.setparams(parameters)
        speech.writeframes(bytes(samples[:wanted]))


def launch(description):
    result = subprocess.run(["gst-launch-1.0", "-q", *description.split()], check=False,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        raise MediaError("GStreamer cannot put the programme together:\n" + result.stdout.strip())


def write_frames(clips, target):
    """The pictures of all clips in one size and rate, raw: joined so, no gap is left between two
    clips, and every frame is exactly 1/RATE long."""
    for clip in clips:
        launch(f"filesrc location={clip} ! qtdemux ! h264parse ! avdec_h264 ! videoconvert "
               "! videoscale add-borders=true ! videorate "
               f"! video/x-raw,format=I420,width={WIDTH},height={HEIGHT},framerate={RATE}/1,"
               f"pixel-aspect-ratio=1/1 ! filesink append=true location={target}")


def mux(frames, speech, target):
    """The pictures are encoded well enough that what the viewer sees is the live encoder's work."""
    queue = "queue max-size-time=0 max-size-bytes=0 max-size-buffers=0"
    launch(f"matroskamux name=mux ! filesink location={target} "
           f"filesrc location={frames} ! rawvideoparse format=i420 width={WIDTH} height={HEIGHT} "
           f"framerate={RATE}/1 ! identity eos-after={SECONDS * RATE + 1} "
           "! x264enc pass=quant quantizer=14 speed-preset=superfast key-int-max=25 bframes=0 "
           f"! h264parse ! {queue} ! mux. "
           f"filesrc location={speech} ! wavparse ! audioconvert ! audio/x-raw,format=S16LE "
           f"! audiobuffersplit output-buffer-duration=1/25 ! {queue} ! mux.")


def make(media):
    programme = media / "programme.mkv"
    if programme.is_file():
        return programme
    clips, speech = find_clips(media), find_speech()
    if shutil.which("gst-launch-1.0") is None:
        raise MediaError("gst-launch-1.0 is missing: script/bootstrap --demo installs it")
    with tempfile.TemporaryDirectory(dir=media) as work:
        work = pathlib.Path(work)
        write_speech(speech, work / "speech.wav")
        write_frames(clips, work / "frames.i420")
        mux(work / "frames.i420", work / "speech.wav", work / "programme.mkv")
        (work / "programme.mkv").rename(programme)
    return programme


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.split("\n\n")[1])
    try:
        print(make(pathlib.Path(sys.argv[1])))
    except (MediaError, OSError) as error:
        sys.exit(f"programme: {error}")


if __name__ == "__main__":
    main()
