#!/bin/sh
# Builds Debian's ffmpeg, which receives its security updates, with only the formats that Kinora reads and writes. The
# packaged one needs 400 MB of libraries. Usage: ffmpeg.sh <root folder of the image>
set -eu
image=$1
sed -i 's/^Types: deb$/Types: deb deb-src/' /etc/apt/sources.list.d/debian.sources
apt-get update -q
apt-get install -qy --no-install-recommends \
  dpkg-dev gcc libc6-dev libdav1d-dev libwebp-dev libx264-dev make nasm pkg-config zlib1g-dev
cd /tmp
apt-get source -q ffmpeg
cd ffmpeg-*/
./configure --prefix=/usr --disable-everything --disable-autodetect --disable-doc --disable-debug --disable-network \
  --disable-ffplay --disable-ffprobe --disable-avdevice --enable-gpl --enable-zlib --enable-libx264 --enable-libwebp \
  --enable-libdav1d --enable-protocol=file,pipe \
  --enable-demuxer=mov,matroska,avi,gif,concat,image2,image_png_pipe,image_jpeg_pipe,image_webp_pipe,rawvideo,wav,mp3,ffmetadata \
  --enable-muxer=mp4,mov,image2,ffmetadata,rawvideo,null \
  --enable-decoder=h264,hevc,vp8,vp9,libdav1d,mpeg4,mjpeg,png,gif,webp,rawvideo,wrapped_avframe,aac,mp3,opus,vorbis,flac,pcm_s16le \
  --enable-encoder=libx264,png,mjpeg,libwebp,aac,rawvideo,wrapped_avframe,pcm_s16le \
  --enable-parser=h264,hevc,vp8,vp9,av1,mpeg4video,mjpeg,png,aac,mpegaudio,opus,vorbis,webp \
  --enable-bsf=aac_adtstoasc,h264_mp4toannexb,hevc_mp4toannexb,extract_extradata,vp9_superframe_split,av1_frame_split,null \
  --enable-filter=scale,format,overlay,crop,pad,fps,null,anull,aresample,aformat,setpts,trim,atrim,tpad,split,concat \
  --enable-filter=color,setsar,fade,anullsrc,apad,afade,amerge,pan,transpose,hflip,vflip
make -j"$(nproc)" ffmpeg
strip ffmpeg
./ffmpeg -hide_banner -encoders | grep -q libx264
mkdir -p "$image/usr/bin" "$image/usr/share/doc/ffmpeg"
cp ffmpeg "$image/usr/bin/"
cp debian/copyright "$image/usr/share/doc/ffmpeg/"
